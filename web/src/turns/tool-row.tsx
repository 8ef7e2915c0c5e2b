/**
 * A tool call folds to one line with its outcome; opened, it shows what it was called with and what
 * it did.
 */
import { memo } from 'react'
import type { ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { ToolIcon } from '../parts/icons.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { DiffView } from '../worktrees/diff-view.tsx'
import { Step } from './step.tsx'
import { useShortPath } from './workplace.ts'

interface ToolRowProps {
  readonly call: ToolCall
  /**
   * How its turn stands: in one that is over no tool waits or runs, whatever the agent said last.
   */
  readonly turn: ThreadTurn['state']
  /** Whether the row of a sub-agent is around it. */
  readonly isInside?: boolean
}

export const ToolRow = memo(function ToolRow({ call, turn, isInside }: ToolRowProps) {
  const { console: words } = useWords()
  const shortPath = useShortPath()
  // A change is what one wants to see; the rest is looked up when something is odd.
  const hasDiff = call.content.some(({ type }) => type === 'diff')
  const row = (
    <Step
      data-tool={call.toolCallId}
      open={hasDiff}
      icon={<ToolIcon kind={call.toolKind} />}
      verb={words.tools[call.toolKind]}
      title={shortPath(call.title)}
      end={<Outcome call={call} turn={turn} />}
    >
      <ToolContent call={call} />
    </Step>
  )
  // A sub-agent's.
  return call.parentId === undefined || isInside ? (
    row
  ) : (
    <div className="ml-4 border-l border-line pl-2">{row}</div>
  )
})

function Outcome({ call, turn }: ToolRowProps) {
  const { console: words, duration } = useWords()
  const { status, exitCode, durationMs } = call
  const isOver = status === 'completed' || status === 'failed'
  if (!isOver && turn !== 'running')
    return turn === 'answered' ? null : <span>{words.notFinished}</span>
  return (
    <>
      {!isOver && <StateDot state={status === 'pending' ? 'starting' : 'working'} />}
      {status === 'failed' && <StateDot state="failed" />}
      {exitCode !== undefined && exitCode !== 0 && (
        <span className="text-bad">{words.exitCode(exitCode)}</span>
      )}
      <span className={status === 'completed' ? 'sr-only' : ''}>{words.toolStates[status]}</span>
      {isOver && durationMs !== undefined && durationMs >= 1000 && (
        <span>{duration(Math.round(durationMs / 1000))}</span>
      )}
    </>
  )
}

const preClass =
  'max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]'

/** `asked`: what stands above it already. */
export function ToolContent({ call, asked = call.title }: { call: ToolCall; asked?: string }) {
  const { console: words } = useWords()
  const shortPath = useShortPath()
  const hasDiff = call.content.some(({ type }) => type === 'diff')
  const input = readable(call.input ?? '{}')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {input !== '' && input !== asked && (
        <Input text={input} folded={hasDiff && call.toolKind === 'edit'} />
      )}
      {call.content.map((content, index) => {
        const key = `${index}.${content.type}`
        if (content.type === 'diff') return <DiffView key={key} {...content} />
        // The output below is the same, read from whichever field the agent uses (AC6).
        if (call.output !== undefined) return null
        if (content.type === 'text')
          return <Words key={key} label={words.output} text={content.text} />
        return (
          <p key={key} className="text-sm text-quiet">
            {content.name}
          </p>
        )
      })}
      {call.output !== undefined && call.output !== '' && (
        <Words label={words.output} text={call.output} />
      )}
      {call.locations.length > 0 && !hasDiff && (
        <p className="font-mono text-xs text-quiet [overflow-wrap:anywhere]">
          {call.locations
            .map(({ path, line }) => shortPath(path) + (line === null ? '' : `:${line}`))
            .join(', ')}
        </p>
      )}
      {call.cut && <p className="text-xs text-faint">{words.cutShort}</p>}
    </div>
  )
}

const Words = ({ label, text }: { label: string; text: string }) => (
  <div className="min-w-0">
    <p className="text-xs text-faint">{label}</p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard */}
    <pre tabIndex={0} className={preClass}>
      {text}
    </pre>
  </div>
)

/**
 * The input of the tool. Folded for an edit, whose diff shows the same; never left out, because a
 * person decides by it (AP4).
 */
function Input({ text, folded }: { text: string; folded: boolean }) {
  const { console: words } = useWords()
  if (!folded) return <Words label={words.input} text={text} />
  return (
    <details>
      <summary className="min-h-6 w-fit text-xs text-quiet">{words.input}</summary>
      <Words label={words.input} text={text} />
    </details>
  )
}

/**
 * The command, or the only text that it was called with; else the JSON, indented. Other text is
 * left as it is.
 */
function readable(input: string): string {
  try {
    const given: unknown = JSON.parse(input)
    const values = typeof given === 'object' && given !== null ? Object.values(given) : [given]
    if (values.length === 0) return ''
    const text =
      (given as { command?: unknown } | null)?.command ??
      (values.length === 1 ? values[0] : undefined)
    return typeof text === 'string' ? text : JSON.stringify(given, null, 2)
  } catch {
    return input
  }
}
