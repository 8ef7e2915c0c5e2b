/** Shows one turn: the prompt, then the agent's thoughts, tool calls, questions and answer in order. */
import { memo } from 'react'
import { useDisplayName } from '../live/display-names.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { asksSomething, type Item, type ShownTurn } from './console-state.ts'
import type { LiveConsole } from './live-console.ts'
import { PermissionCard } from './permission-card.tsx'
import { PlanList } from './plan-list.tsx'
import { PromptText } from './prompt-text.tsx'
import { ToolRow } from './tool-row.tsx'

interface TurnViewProps {
  readonly turn: ShownTurn
  readonly agentId: string
  readonly live: LiveConsole
  /** The card of its agent's limit stands below, and says all there is to say. */
  readonly carded: boolean
}

export const TurnView = memo(function TurnView({ turn, agentId, live, carded }: TurnViewProps) {
  const writing = useWriting()
  const nameOf = useDisplayName()
  return (
    <li data-turn={turn.state} className="flex min-w-0 flex-col gap-2 pt-4">
      <div className="flex flex-wrap items-center gap-x-2 text-sm text-faint">
        <span className="truncate font-medium text-ink">{nameOf(turn.by)}</span>
        <time dateTime={turn.at} title={writing.exact(turn.at)} className="tabular-nums">
          {writing.clock(Date.parse(turn.at))}
        </time>
      </div>
      <PromptText content={turn.content} />
      {turn.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever appended to
        <ItemView key={index} item={item} agentId={agentId} live={live} />
      ))}
      {!(carded && turn.limited) && <Ending turn={turn} />}
    </li>
  )
})

function ItemView({ item, agentId, live }: { item: Item; agentId: string; live: LiveConsole }) {
  switch (item.kind) {
    case 'text':
      return <Markdown text={item.text} />
    case 'thought':
      return <Thought text={item.text} />
    case 'tool':
      return <ToolRow call={item.call} />
    case 'plan':
      return <PlanList entries={item.entries} />
    case 'permission':
      return <PermissionCard permission={item.permission} agentId={agentId} live={live} />
  }
}

function Thought({ text }: { text: string }) {
  const { console: words } = useWords()
  return (
    <details className="min-w-0 text-sm text-quiet">
      <summary className="min-h-6 w-fit">{words.thought}</summary>
      <div className="mt-1 border-l-2 border-line pl-3">
        <Markdown text={text} />
      </div>
    </details>
  )
}

/** Stop reasons of an ordinary answer, which need no remark. */
const usual = ['end_turn']

function Ending({ turn }: { turn: ShownTurn }) {
  const { console: words } = useWords()
  const translate = useSaid()
  const { state, stopReason, error, notice, limited, cut } = turn
  const why = error && translate(error, notice)
  if (state === 'running') {
    // The permission card says that the turn waits for a person.
    if (asksSomething(turn)) return null
    return (
      <p role="status" className="text-sm text-faint motion-safe:animate-pulse">
        {words.works}
      </p>
    )
  }
  const odd = state === 'answered' && stopReason !== null && !usual.includes(stopReason)
  return (
    <>
      {cut && <p className="text-sm text-faint">{words.cutShort}</p>}
      {odd && <p className="text-sm text-warn">{words.stopReasons[stopReason] ?? words.stopped(stopReason)}</p>}
      {state === 'cancelled' && <p className="text-sm text-quiet">{words.cancelled}</p>}
      {state === 'unknown' && <p className="text-sm text-warn">{words.unknown}</p>}
      {limited && (
        <p className="text-sm text-warn [overflow-wrap:anywhere]">{[words.limitReached, why].filter(Boolean).join(': ')}</p>
      )}
      {state === 'failed' && !limited && (
        <div role="alert" className="rounded-md bg-bad-wash px-3 py-2 text-sm [overflow-wrap:anywhere]">
          <p className="font-medium text-bad">{words.turnFailed}</p>
          {why && <p className="whitespace-pre-wrap">{why}</p>}
        </div>
      )}
    </>
  )
}
