/** A tool call folds to one line with its outcome; opened, it shows what it was called with and what it did. */
import { memo } from 'react'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { FoldIcon } from '../parts/icons.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { DiffView } from '../worktrees/diff-view.tsx'
import { useShortPath } from './workplace.ts'

const dots: Record<ToolCall['status'], LiveState> = {
  pending: 'starting',
  in_progress: 'working',
  completed: 'ready',
  failed: 'failed',
}

export const ToolRow = memo(function ToolRow({ call }: { call: ToolCall }) {
  const { console: words } = useWords()
  // A change is what one wants to see; the rest is looked up when something is odd.
  const hasDiff = call.content.some(({ type }) => type === 'diff')
  return (
    <details open={hasDiff} data-tool={call.toolCallId} className="group min-w-0 rounded-md shadow-[inset_0_0_0_1px_var(--line)]">
      <summary className="flex min-h-8 items-center gap-2 px-2.5 text-sm max-md:min-h-10">
        <FoldIcon />
        <StateDot state={dots[call.status]} />
        <span className="min-w-0 flex-1 truncate" title={call.title}>
          {call.title}
        </span>
        <span className="shrink-0 text-xs text-faint">
          {words.tools[call.toolKind]} · {words.toolStates[call.status]}
          {call.exitCode !== undefined && ` · ${words.exitCode(call.exitCode)}`}
        </span>
      </summary>
      <div className="px-2.5 pb-2.5">
        <ToolContent call={call} />
      </div>
    </details>
  )
})

const preClass =
  'max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]'

export function ToolContent({ call }: { call: ToolCall }) {
  const { console: words } = useWords()
  const shortPath = useShortPath()
  const hasDiff = call.content.some(({ type }) => type === 'diff')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {call.input !== null && call.input !== '{}' && (
        <Input text={readable(call.input)} folded={hasDiff && call.toolKind === 'edit'} />
      )}
      {call.content.map((content, index) => {
        const key = `${index}.${content.type}`
        if (content.type === 'diff') return <DiffView key={key} {...content} />
        // The output below is the same, read from whichever field the agent uses (AC6).
        if (call.output !== undefined) return null
        if (content.type === 'text') return <Words key={key} label={words.output} text={content.text} />
        return (
          <p key={key} className="text-sm text-quiet">
            {content.name}
          </p>
        )
      })}
      {call.output !== undefined && <Words label={words.output} text={call.output} />}
      {call.locations.length > 0 && !hasDiff && (
        <p className="font-mono text-xs text-quiet [overflow-wrap:anywhere]">
          {call.locations.map(({ path, line }) => shortPath(path) + (line === null ? '' : `:${line}`)).join(', ')}
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

/** The input of the tool. Folded for an edit, whose diff shows the same; never left out, because a person decides by it (AP4). */
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

/** Indents JSON and leaves other text as it is. */
function readable(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2)
  } catch {
    return input
  }
}
