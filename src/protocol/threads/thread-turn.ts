/**
 * A turn of a thread as everybody sees it: the same for an agent in a role, in a chat and at a
 * task. Made from a list, a snapshot or the event that began it; `fold-turn.ts` changes it.
 */
import type { RelayEventBodies } from '../consoles/relay.ts'
import type { AskedPermission, Turn } from '../consoles/user-session.ts'
import type { Notice } from '../notice-words.ts'
import type { ListedTurn } from '../turns/conversation-turn.ts'
import type { PromptPart } from '../turns/prompt.ts'
import type { AskedQuestion } from '../turns/question.ts'
import {
  type Item,
  type KeptItems,
  noItems,
  type TurnPermission,
  type TurnQuestion,
  withAnswer,
} from './turn-items.ts'

export interface ThreadTurn extends KeptItems {
  readonly kind: 'turn'
  readonly id: string
  readonly by: string
  /** Empty where its messages stand beside it. */
  readonly content: readonly PromptPart[]
  readonly state: Exclude<Turn['state'], 'queued'>
  readonly stopReason: string | null
  readonly error: string | null
  readonly notice: Notice | null
  /** The limit of its vendor ended it. */
  readonly limited: boolean
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
  ...noItems,
  kind: 'turn',
  stopReason: null,
  error: null,
  notice: null,
  limited: false,
  endedAt: null,
  usage: null,
  primer: null,
  files: null,
} as const

export const openPermission = (request: AskedPermission): TurnPermission => {
  const { approvalId, messageId, title, call, options, likeness, deadline } = request
  const shown = { approvalId, messageId, title, call, options, likeness, deadline }
  return { ...shown, outcome: null, optionId: null, decidedBy: null, resolvedAt: null }
}

export const openQuestion = (request: AskedQuestion): TurnQuestion => {
  const { questionId, messageId, message, schema, url, deadline } = request
  const shown = { questionId, messageId, message, schema, url, deadline }
  return { ...shown, outcome: null, content: null, decidedBy: null, resolvedAt: null }
}

/** Characters of a prompt part where it is shown; images are named only. */
const maxShownPromptChars = 8 * 1024

export const shownPrompt = (content: readonly PromptPart[]): PromptPart[] =>
  content.map((part) => {
    if (part.type === 'image') return { ...part, base64: '' }
    return 'text' in part ? { ...part, text: part.text.slice(0, maxShownPromptChars) } : part
  })

const stateOf = (state: Turn['state']): ThreadTurn['state'] =>
  state === 'queued' ? 'running' : state

/** A turn that has begun, with nothing done yet. */
export const begunTurn = (
  {
    messageId: id,
    by,
    content,
  }: Pick<RelayEventBodies['agent:prompted'], 'messageId' | 'by' | 'content'>,
  at: string,
): ThreadTurn => ({ ...nothingYet, id, by, content, state: 'running', at })

/** A turn out of a snapshot, or out of the list of a user session. */
export function shownTurn(
  turn: Turn,
  permissions: readonly AskedPermission[],
  items: readonly Item[] = withAnswer([], turn.text),
  questions: readonly AskedQuestion[] = [],
): ThreadTurn {
  const { messageId: id, by, content, stopReason, error, notice = null, cut, usage = null } = turn
  const requests = [
    ...permissions.map((each): Item => ({ kind: 'permission', permission: openPermission(each) })),
    ...questions.map((each): Item => ({ kind: 'question', question: openQuestion(each) })),
  ]
  return {
    ...nothingYet,
    id,
    by,
    content,
    state: stateOf(turn.state),
    items: [...items, ...requests],
    stopReason,
    error,
    notice,
    limited: (turn.limitedUntil ?? null) !== null,
    cut,
    usage,
    endedAt: turn.endedAt,
    at: turn.startedAt ?? turn.createdAt,
  }
}

/**
 * A turn of a conversation with all that came of it. Where messages stand beside it, its prompt is
 * left out.
 */
export function listedTurn(turn: ListedTurn, content: readonly PromptPart[] = []): ThreadTurn {
  const { id, by, stopReason, error, notice = null, cut, usage, primer, endedAt } = turn
  return {
    ...nothingYet,
    id,
    by,
    content,
    state: stateOf(turn.state),
    items: withAnswer((turn.items ?? []) as unknown as readonly Item[], turn.text),
    stopReason,
    error,
    notice,
    limited: stopReason === 'limit',
    cut,
    usage,
    primer,
    endedAt,
    at: turn.startedAt ?? turn.createdAt,
    files: filesOf(turn),
  }
}

/** Whether a turn has ended without an answer, and nobody stopped it. */
export const hasFailed = (turn: Pick<ThreadTurn, 'state'> | undefined): boolean =>
  turn?.state === 'failed' || turn?.state === 'unknown'

/** Whether somebody is asked something that nobody has decided yet. */
export const isOpen = (item: Item): boolean =>
  (item.kind === 'permission' && item.permission.outcome === null) ||
  (item.kind === 'question' && item.question.outcome === null)

export const asksSomething = (turn: ThreadTurn | undefined): boolean =>
  turn?.items.some(isOpen) ?? false

/** Stop reasons of an ordinary answer, which need no remark. */
const usual = ['end_turn', 'read', 'joined', 'withdrawn']

export const isAnswer = ({
  state,
  stopReason,
}: Pick<ThreadTurn, 'state' | 'stopReason'>): boolean =>
  state === 'answered' && (stopReason === null || usual.includes(stopReason))
