/**
 * Turns as the page shows them, and how each event changes one (RL3, CH14): the same for an agent
 * in a role and for one in a chat. Pure.
 */
import type { RelayEvent } from '../../../src/client/relay-messages.ts'
import type {
  AskedPermission,
  PermissionOutcome,
  Turn,
} from '../../../src/protocol/consoles/user-session.ts'
import type { Notice } from '../../../src/protocol/notice-words.ts'
import type { AgentUpdate, ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import type { ListedTurn } from '../../../src/protocol/turns/conversation-turn.ts'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'
import type { AskedQuestion, QuestionAnswer } from '../../../src/protocol/turns/question.ts'

export interface Permission extends AskedPermission {
  readonly outcome: PermissionOutcome | null
  readonly optionId: string | null
  readonly decidedBy: string | null
}

export interface ShownQuestion extends AskedQuestion {
  readonly outcome: PermissionOutcome | null
  readonly content: QuestionAnswer['content']
  readonly decidedBy: string | null
}

/** A piece of what an agent did in a turn, in the order it came. */
export type Item =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'plan'; readonly entries: Extract<AgentUpdate, { kind: 'plan' }>['entries'] }
  | { readonly kind: 'permission'; readonly permission: Permission }
  | { readonly kind: 'question'; readonly question: ShownQuestion }
  | Extract<AgentUpdate, { kind: 'notice' | 'compaction' | 'media' }>

export interface ShownTurn {
  readonly kind: 'turn'
  readonly messageId: string
  readonly by: string
  readonly content: readonly PromptPart[]
  readonly state: Exclude<Turn['state'], 'queued'>
  readonly items: readonly Item[]
  readonly stopReason: string | null
  readonly error: string | null
  readonly notice?: Notice | null | undefined
  /** The turn ended at its vendor's limit. */
  readonly limited: boolean
  readonly cut: boolean
  readonly at: string
  readonly endedAt: string | null
  readonly usage: ListedTurn['usage']
  /** What the agent was told before the prompt. */
  readonly primer: string | null
  /** What it changed in the files; null: nothing is known of them. */
  readonly files: TurnFiles | null
}

export interface TurnFiles {
  /** The files before and after it are kept (FS7). */
  readonly before: boolean
  readonly after: boolean
  readonly changes: ListedTurn['changes']
  /** A rewind has taken it back. */
  readonly rewound: boolean
}

type WithFiles = Pick<ListedTurn, 'before' | 'after' | 'changes' | 'rewound'>

export const filesOf = ({ before, after, changes, rewound }: WithFiles): TurnFiles => ({
  before: before !== null,
  after: after !== null,
  changes,
  rewound,
})

const nothingYet = {
  stopReason: null,
  error: null,
  limited: false,
  cut: false,
  endedAt: null,
  usage: null,
  primer: null,
  files: null,
} as const

const openQuestion = (asked: AskedQuestion): ShownQuestion => ({
  ...asked,
  outcome: null,
  content: null,
  decidedBy: null,
})

const unanswered = (asked: AskedPermission): Permission => ({
  ...asked,
  outcome: null,
  optionId: null,
  decidedBy: null,
})

/** A turn out of a snapshot or a list. */
export function shownTurn(
  turn: Turn,
  asked: readonly AskedPermission[],
  items: readonly Item[] = textOf(turn.text),
  open: readonly AskedQuestion[] = [],
): ShownTurn {
  const {
    messageId,
    by,
    content,
    stopReason,
    error,
    notice,
    cut,
    usage = null,
    createdAt,
    startedAt,
    endedAt,
  } = turn
  const state = turn.state === 'queued' ? 'running' : turn.state
  const questions = [
    ...asked.map((each): Item => ({ kind: 'permission', permission: unanswered(each) })),
    ...open.map((each): Item => ({ kind: 'question', question: openQuestion(each) })),
  ]
  const limited = (turn.limitedUntil ?? null) !== null
  const fields = {
    stopReason,
    error,
    notice,
    limited,
    cut,
    usage,
    endedAt,
    at: startedAt ?? createdAt,
  }
  return {
    ...nothingYet,
    kind: 'turn',
    messageId,
    by,
    content,
    state,
    items: [...items, ...questions],
    ...fields,
  }
}

const textOf = (text: string): readonly Item[] => (text ? [{ kind: 'text', text }] : [])

/**
 * A turn of a conversation with all that came of it. Its messages stand beside it, so its prompt is
 * left out.
 */
export function listedTurn(turn: ListedTurn): ShownTurn {
  const {
    id: messageId,
    by,
    stopReason,
    error,
    notice,
    cut,
    usage,
    primer,
    createdAt,
    startedAt,
    endedAt,
  } = turn
  const limited = stopReason === 'limit'
  const came = (turn.items ?? []) as unknown as readonly Item[]
  const hasOutput = came.some(({ kind }) => kind !== 'permission' && kind !== 'question')
  const items = hasOutput ? came : [...came, ...textOf(turn.text)]
  const state = turn.state === 'queued' ? 'running' : turn.state
  const fields = {
    stopReason,
    error,
    notice,
    limited,
    cut,
    usage,
    primer,
    endedAt,
    at: startedAt ?? createdAt,
    files: filesOf(turn),
  }
  return { ...nothingYet, kind: 'turn', messageId, by, content: [], state, items, ...fields }
}

type Prompted = Pick<
  Extract<RelayEvent, { type: 'agent:prompted' }>,
  'messageId' | 'by' | 'content'
>

export const begunTurn = ({ messageId, by, content }: Prompted, at: string): ShownTurn => ({
  ...nothingYet,
  kind: 'turn',
  messageId,
  by,
  content,
  state: 'running',
  items: [],
  at,
})

type TurnEvent = Extract<
  RelayEvent,
  {
    type:
      | 'agent:update'
      | 'agent:response'
      | 'permission:requested'
      | 'permission:resolved'
      | 'question:requested'
      | 'question:resolved'
  }
>
/** The event without what its stream says of it. */
export type TurnEventBody = TurnEvent extends infer Each
  ? Each extends TurnEvent
    ? Omit<Each, 'sessionId' | 'seq' | 'timestamp'>
    : never
  : never

/** The same turn when the event is about another one. */
export function afterTurnEvent(turn: ShownTurn, event: TurnEventBody, at: string): ShownTurn {
  if (event.type === 'permission:resolved') return withOutcome(turn, event)
  if (event.type === 'question:resolved') return withAnswer(turn, event)
  if (event.messageId !== turn.messageId) return turn
  switch (event.type) {
    case 'agent:update':
      return { ...turn, items: withUpdate(turn.items, event.update) }
    case 'agent:response':
      return answered(turn, event, at)
    case 'permission:requested': {
      const permission = unanswered({ ...event, options: [...event.options] })
      return { ...turn, items: [...turn.items, { kind: 'permission', permission }] }
    }
    case 'question:requested':
      return {
        ...turn,
        items: [...turn.items, { kind: 'question', question: openQuestion(event) }],
      }
  }
}

/**
 * Text grows, a tool call and the plan stand once and change; what is about no turn changes nothing
 * here.
 */
function withUpdate(items: readonly Item[], update: AgentUpdate): readonly Item[] {
  switch (update.kind) {
    case 'text':
    case 'thought': {
      const last = items.at(-1)
      if (last?.kind !== update.kind) return [...items, update]
      return [...items.slice(0, -1), { kind: update.kind, text: last.text + update.text }]
    }
    case 'tool':
      return replacedOrAdded(
        items,
        update,
        (item) => item.kind === 'tool' && item.call.toolCallId === update.call.toolCallId,
      )
    case 'plan':
      return replacedOrAdded(items, update, (item) => item.kind === 'plan')
    case 'notice':
    case 'media':
      return [...items, update]
    case 'compaction':
      return replacedOrAdded(
        items,
        update,
        (item) => item.kind === 'compaction' && item.compactionId === update.compactionId,
      )
    default:
      return items
  }
}

function replacedOrAdded(
  items: readonly Item[],
  item: Item,
  isSame: (item: Item) => boolean,
): readonly Item[] {
  return items.some(isSame) ? items.map((each) => (isSame(each) ? item : each)) : [...items, item]
}

type Resolved = Extract<TurnEventBody, { type: 'permission:resolved' }>

function withOutcome(
  turn: ShownTurn,
  { approvalId, outcome, optionId, decidedBy }: Resolved,
): ShownTurn {
  const isIt = (item: Item) =>
    item.kind === 'permission' && item.permission.approvalId === approvalId
  if (!turn.items.some(isIt)) return turn
  const changed = (item: Item): Item =>
    item.kind === 'permission' && isIt(item)
      ? { ...item, permission: { ...item.permission, outcome, optionId, decidedBy } }
      : item
  return { ...turn, items: turn.items.map(changed) }
}

function withAnswer(
  turn: ShownTurn,
  event: Extract<TurnEventBody, { type: 'question:resolved' }>,
): ShownTurn {
  const { questionId, outcome, content, decidedBy } = event
  const changed = (item: Item): Item =>
    item.kind === 'question' && item.question.questionId === questionId
      ? { ...item, question: { ...item.question, outcome, content, decidedBy } }
      : item
  return { ...turn, items: turn.items.map(changed) }
}

/** The pieces are what was said; the whole answer is shown only where none of them was seen. */
function answered(
  turn: ShownTurn,
  event: Extract<TurnEventBody, { type: 'agent:response' }>,
  at: string,
): ShownTurn {
  const { content, stopReason, error, notice, cut, usage = null, limitedUntil } = event
  const hasText = turn.items.some(({ kind }) => kind === 'text')
  const items = hasText || content === '' ? turn.items : [...turn.items, ...textOf(content)]
  const state = stateAfter(stopReason)
  return {
    ...turn,
    items,
    state,
    stopReason,
    error,
    notice,
    limited: limitedUntil !== undefined,
    cut,
    usage,
    endedAt: at,
  }
}

/**
 * How a turn stands after its end: as the server keeps it, for who looks and for who comes back.
 */
function stateAfter(stopReason: string): ShownTurn['state'] {
  if (stopReason === 'cancelled' || stopReason === 'denied') return 'cancelled'
  if (stopReason === 'process_gone') return 'unknown'
  return failing.has(stopReason) ? 'failed' : 'answered'
}

const failing: ReadonlySet<string> = new Set([
  'error',
  'probably_error',
  'limit',
  'empty',
  'took_too_long',
  'max_tokens',
  'max_turn_requests',
  'refusal',
])

/** Whether a turn has ended without an answer, and nobody stopped it. */
export const hasFailed = (turn: Pick<ShownTurn, 'state'> | undefined): boolean =>
  turn?.state === 'failed' || turn?.state === 'unknown'

export const asksSomething = (turn: ShownTurn | undefined): boolean =>
  turn?.items.some(
    (item) =>
      (item.kind === 'permission' && item.permission.outcome === null) ||
      (item.kind === 'question' && item.question.outcome === null),
  ) ?? false

/** Stop reasons of an ordinary answer, which need no remark. */
const usual = ['end_turn', 'read', 'joined', 'withdrawn']

export const isAnswer = ({ state, stopReason }: Pick<ShownTurn, 'state' | 'stopReason'>): boolean =>
  state === 'answered' && (stopReason === null || usual.includes(stopReason))
