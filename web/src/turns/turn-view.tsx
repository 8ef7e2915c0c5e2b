/**
 * Shows one turn: the prompt, then the agent's thoughts, tool calls, questions and answer in order,
 * and what it cost.
 */
import { Fragment, memo, type ReactNode } from 'react'
import { askerOf, callOfStrand, itemsOfStrand } from '../../../src/protocol/threads/strands.ts'
import { isAnswer, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import { answerIn, type Item } from '../../../src/protocol/threads/turn-items.ts'
import { useDisplayName } from '../live/display-names.ts'
import { AgentText } from '../markdown/agent-text.tsx'
import { AgentIcon, HistoryIcon, ThoughtIcon } from '../parts/icons.tsx'
import { NearRow } from '../parts/near.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { FailureCard, failureIn } from './failure-card.tsx'
import { agentAt, usePaneActions } from './pane-actions.ts'
import { PermissionCard } from './permission-card.tsx'
import { PlanList } from './plan-list.tsx'
import { PromptText } from './prompt-text.tsx'
import { QuestionCard } from './question-card.tsx'
import { Step } from './step.tsx'
import { StrandRow } from './strand-row.tsx'
import { ToolRow } from './tool-row.tsx'
import { drawnAtFirst } from './transcript.tsx'
import { TurnFoot } from './turn-foot.tsx'

interface TurnViewProps {
  readonly turn: ThreadTurn
  /** What it changed, where that comes from elsewhere. */
  readonly files?: ThreadTurn['files'] | undefined
  /** The card of its agent's limit stands below, and says all there is to say. */
  readonly carded?: boolean
  /** The message that its answer became, with what was added to it. */
  readonly message?: { readonly seq: number; readonly content: string }
  /** The turn in which it was told once more, and the one that it repeats. */
  readonly repeatedIn?: string | undefined
  readonly repeats?: string | undefined
  /** No turn has followed it. */
  readonly isNewest?: boolean
}

export const TurnView = memo(function TurnView({
  turn,
  files = turn.files,
  carded = false,
  message,
  isNewest = true,
  ...other
}: TurnViewProps) {
  const nameOf = useDisplayName()
  const agentId = agentAt(usePaneActions(), turn.at)
  const { console: words } = useWords()
  const said = answerIn(turn.items)
  const added =
    message && message.content.trim() !== said.trim() ? behind(message.content, said.trim()) : ''
  return (
    <div
      id={`turn-${turn.id}`}
      data-turn={turn.state}
      data-seq={message?.seq}
      className="flex min-w-0 scroll-mt-4 flex-col gap-2 pt-5"
    >
      {turn.content.length > 0 && (
        <>
          <Head name={nameOf(turn.by)} at={turn.at} />
          <PromptText content={turn.content} />
        </>
      )}
      <div
        className="flex min-w-0 flex-col gap-1.5"
        {...(turn.state === 'running' && {
          'data-saying': turn.id,
          'aria-live': 'off' as const,
        })}
      >
        <Head
          name={nameOf(agentId)}
          at={turn.content.length > 0 ? undefined : (turn.endedAt ?? turn.at)}
          byAgent
        />
        {other.repeats !== undefined && <TurnLink to={other.repeats}>{words.repeats}</TurnLink>}
        {turn.primer !== null && turn.primer !== '' && <Primer text={turn.primer} />}
        <Items all={withoutError(turn)} state={turn.state} />
        {added && turn.state === 'answered' && <Said text={added} />}
        {!(carded && turn.limited) && (
          <Ending turn={turn} added={added} files={files} isNewest={isNewest} />
        )}
        {other.repeatedIn !== undefined && (
          <TurnLink to={other.repeatedIn}>{words.repeatedIn}</TurnLink>
        )}
        <TurnFoot turn={turn} files={files} />
      </div>
    </div>
  )
})

const TurnLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <button
    type="button"
    data-turn-link={to}
    className="min-h-6 self-start text-left text-sm text-quiet underline decoration-edge underline-offset-2 hover:text-ink max-md:min-h-9"
    onClick={() => document.getElementById(`turn-${to}`)?.scrollIntoView({ block: 'start' })}
  >
    {children}
  </button>
)

/** More steps than this are drawn only near what is in sight. */
const fewItems = 60
const itemHeight = 30

interface ItemsProps {
  /** All of the turn. */
  readonly all: readonly Item[]
  readonly state: ThreadTurn['state']
  /** The sub-agent whose items they are; left out: the agent's own. */
  readonly strand?: string
}

/** The call that waits for a person. */
const openCall = (item: Item): string[] =>
  item.kind === 'permission' && item.permission.outcome === null
    ? [item.permission.call.toolCallId]
    : []

function Items({ all, state, strand }: ItemsProps) {
  const items = itemsOfStrand(all, strand)
  const asked = new Set(all.flatMap(openCall))
  const rowOf = (item: Item) => {
    // The card of the request says what it is.
    if (item.kind === 'tool' && asked.has(item.call.toolCallId)) return null
    return item.kind === 'strand' ? (
      <StrandRow strand={item.strand} call={callOfStrand(all, item.strand)} turn={state}>
        <Items all={all} state={state} strand={item.strand.id} />
      </StrandRow>
    ) : (
      <ItemView
        item={item}
        state={state}
        isInside={strand !== undefined}
        subAgent={item.kind === 'permission' ? askerOf(all, item) : undefined}
      />
    )
  }
  if (items.length <= fewItems) {
    // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever appended to
    return items.map((item, index) => <Fragment key={index}>{rowOf(item)}</Fragment>)
  }
  return (
    <ol className="flex min-w-0 flex-col gap-1.5">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever appended to
        <NearRow key={index} first={index >= items.length - drawnAtFirst} guess={itemHeight}>
          {rowOf(item)}
        </NearRow>
      ))}
    </ol>
  )
}

/** An error that the agent phrased as its answer is shown as the error alone. */
function withoutError({ items, state, error }: ThreadTurn): ThreadTurn['items'] {
  const last = items.at(-1)
  const isError = state === 'failed' && last?.kind === 'text' && last.text.trim() === error?.trim()
  return isError ? items.slice(0, -1) : items
}

/** What the server has added behind the agent's own words. */
const behind = (content: string, said: string): string =>
  content.startsWith(said) ? content.slice(said.length).trim() : content.trim()

interface HeadProps {
  readonly name: string
  readonly at?: string | undefined
  readonly byAgent?: boolean
  readonly children?: ReactNode
}

export function Head({ name, at, byAgent = false, children }: HeadProps) {
  const writing = useWriting()
  return (
    <div className="flex flex-wrap items-center gap-x-2 text-sm text-faint">
      <span className="flex min-w-0 items-center gap-1.5 font-semibold text-ink">
        {byAgent && <AgentIcon className="size-3.5 text-accent" />}
        <span className="truncate">{name}</span>
      </span>
      {at !== undefined && (
        <time dateTime={at} title={writing.exact(at)} className="text-xs tabular-nums">
          {writing.clock(Date.parse(at))}
        </time>
      )}
      {children}
    </div>
  )
}

const ItemView = memo(function ItemView({
  item,
  state,
  isInside,
  subAgent,
}: {
  item: Exclude<Item, { kind: 'strand' }>
  state: ThreadTurn['state']
  isInside: boolean
  subAgent: string | undefined
}) {
  const { console: words } = useWords()
  const translate = useSaid()
  switch (item.kind) {
    case 'text':
      return <Said text={item.text} />
    case 'thought':
      return (
        <Step icon={<ThoughtIcon />} verb={words.thought}>
          <AgentText text={item.text} />
        </Step>
      )
    case 'tool':
      return <ToolRow call={item.call} turn={state} isInside={isInside} />
    case 'plan':
      return <PlanList entries={item.entries} />
    case 'permission':
      return <PermissionCard permission={item.permission} subAgent={subAgent} />
    case 'question':
      return <QuestionCard question={item.question} />
    case 'media':
      return <Media item={item} />
    case 'notice':
      return (
        <p
          role="status"
          className={`text-sm [overflow-wrap:anywhere] ${item.severity === 'info' ? 'text-quiet' : 'text-warn'}`}
        >
          {[translate(item.title, item.notice), item.description].filter(Boolean).join(' · ')}
        </p>
      )
    case 'compaction':
      return (
        <Step
          icon={<HistoryIcon />}
          verb={item.status === 'in_progress' ? words.compacts : words.compacted}
        >
          <AgentText text={[item.error, item.summary].filter(Boolean).join('\n\n')} />
        </Step>
      )
  }
})

function Media({ item: { media, mimeType, data } }: { item: Extract<Item, { kind: 'media' }> }) {
  const { console: words } = useWords()
  if (data === null || !mimeType.startsWith(`${media}/`))
    return <p className="text-sm text-faint">{words.notKept(mimeType)}</p>
  const source = `data:${mimeType};base64,${data}`
  if (media === 'image')
    return (
      <img
        src={source}
        alt={words.agentPicture}
        className="max-h-96 max-w-full self-start rounded-md"
      />
    )
  // biome-ignore lint/a11y/useMediaCaption: agents send sound without one
  return <audio controls src={source} className="max-w-full" />
}

/** The server's own words among them are in the reader's language. */
function Said({ text }: { text: string }) {
  const translate = useSaid()
  return <AgentText text={translate(text)} />
}

function Primer({ text }: { text: string }) {
  const { console: words } = useWords()
  return (
    <Step icon={<HistoryIcon />} verb={words.primed}>
      <AgentText text={text} />
    </Step>
  )
}

const serverText = 'text-sm whitespace-pre-wrap [overflow-wrap:anywhere]'

/**
 * `added`: what the server has said in its place or behind it, in the message that it became. It is
 * no answer of the agent's.
 */
function Ending({
  turn,
  added,
  files,
  isNewest,
}: {
  turn: ThreadTurn
  added: string
  files: ThreadTurn['files']
  isNewest: boolean
}) {
  const { console: words } = useWords()
  const translate = useSaid()
  const { state, stopReason, error, limited, cut } = turn
  const explained = added && translate(added)
  const reason = error && translate(error, turn.notice)
  const why = stopReason === 'error' ? reason || explained : explained || reason
  // The line above the composer says that it works.
  if (state === 'running') return null
  const failure = failureIn(turn)
  const odd = state === 'answered' && !isAnswer(turn)
  return (
    <>
      {cut && <p className="text-sm text-faint">{words.cutShort}</p>}
      {odd && (
        <p className="text-sm text-warn">
          {words.stopReasons[stopReason ?? ''] ?? words.stopped(stopReason ?? '')}
        </p>
      )}
      {state === 'cancelled' && (
        <p className={`${serverText} text-quiet`}>{why || words.cancelled}</p>
      )}
      {limited && (
        <p className="text-sm text-warn [overflow-wrap:anywhere]">
          {[words.limitReached, why].filter(Boolean).join(': ')}
        </p>
      )}
      {failure && !limited && (
        <FailureCard
          turn={turn}
          kind={failure}
          files={files}
          why={failure === 'doubtful' ? null : why}
          isNewest={isNewest}
        />
      )}
      {state === 'failed' && !limited && !failure && (
        <p className={`${serverText} text-warn`}>{why}</p>
      )}
    </>
  )
}
