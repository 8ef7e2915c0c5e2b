/**
 * How each event changes a turn (RL3, CH14). Pure: the same events make the same turn on the
 * server, on every page and in every door.
 */
import type { EventBodies } from '../events.ts'
import { openPermission, openQuestion, type ThreadTurn } from './thread-turn.ts'
import { type Item, withAnswer, withUpdate } from './turn-items.ts'

const turnEventTypes = [
  'agent:update',
  'agent:response',
  'permission:requested',
  'permission:resolved',
  'question:requested',
  'question:resolved',
  'approval:held',
] as const
type TurnEventType = (typeof turnEventTypes)[number]

/** An event of a turn's stream, without its place in it. */
export type TurnStreamEvent = {
  [Type in TurnEventType]: {
    readonly type: Type
    readonly at: string
    readonly data: EventBodies[Type]
  }
}[TurnEventType]

export const isTurnStreamEvent = <Event extends { readonly type: string }>(
  event: Event,
): event is Event & TurnStreamEvent => turnEventTypes.some((type) => type === event.type)

/** The same turn when the event is about another one. */
export function foldTurn(turn: ThreadTurn, event: TurnStreamEvent): ThreadTurn {
  switch (event.type) {
    case 'permission:resolved':
      return withDecision(turn, event.data, event.at)
    case 'question:resolved':
      return withQuestionAnswer(turn, event.data, event.at)
    case 'approval:held':
      return withHeldAnswer(turn, event.data)
    default:
      return event.data.messageId === turn.id ? changed(turn, event) : turn
  }
}

type OfItsOwn = Exclude<
  TurnStreamEvent,
  { type: 'permission:resolved' | 'question:resolved' | 'approval:held' }
>

function changed(turn: ThreadTurn, event: OfItsOwn): ThreadTurn {
  switch (event.type) {
    case 'agent:update': {
      const output = withUpdate(turn, event.data.update)
      return output === turn ? turn : { ...turn, ...output }
    }
    case 'agent:response':
      return ended(turn, event.data, event.at)
    case 'permission:requested':
      return withItem(turn, { kind: 'permission', permission: openPermission(event.data) })
    case 'question:requested':
      return withItem(turn, { kind: 'question', question: openQuestion(event.data) })
  }
}

const withItem = (turn: ThreadTurn, item: Item): ThreadTurn => ({
  ...turn,
  items: [...turn.items, item],
})

function withDecision(
  turn: ThreadTurn,
  { approvalId, outcome, optionId, decidedBy }: EventBodies['permission:resolved'],
  resolvedAt: string,
): ThreadTurn {
  return changedItem(turn, (item) => {
    if (item.kind !== 'permission' || item.permission.approvalId !== approvalId) return item
    const { held: _, ...permission } = item.permission
    const decided = { outcome, optionId, decidedBy, resolvedAt }
    return { ...item, permission: { ...permission, ...decided } }
  })
}

function withQuestionAnswer(
  turn: ThreadTurn,
  { questionId, outcome, content, decidedBy }: EventBodies['question:resolved'],
  resolvedAt: string,
): ThreadTurn {
  return changedItem(turn, (item) => {
    if (item.kind !== 'question' || item.question.questionId !== questionId) return item
    const { held: _, ...question } = item.question
    const decided = { outcome, content, decidedBy, resolvedAt }
    return { ...item, question: { ...question, ...decided } }
  })
}

/** AP15: an answer is carried out in some seconds, unless it is taken back (null). */
function withHeldAnswer(
  turn: ThreadTurn,
  { approvalId, held }: EventBodies['approval:held'],
): ThreadTurn {
  const holds = held === null ? {} : { held }
  return changedItem(turn, (item) => {
    if (item.kind === 'permission' && item.permission.approvalId === approvalId) {
      const { held: _, ...permission } = item.permission
      return { ...item, permission: { ...permission, ...holds } }
    }
    if (item.kind === 'question' && item.question.questionId === approvalId) {
      const { held: _, ...question } = item.question
      return { ...item, question: { ...question, ...holds } }
    }
    return item
  })
}

function changedItem(turn: ThreadTurn, change: (item: Item) => Item): ThreadTurn {
  const items = turn.items.map(change)
  return items.every((item, index) => item === turn.items[index]) ? turn : { ...turn, items }
}

function ended(turn: ThreadTurn, response: EventBodies['agent:response'], at: string): ThreadTurn {
  const { content, stopReason, error, notice = null, cut, usage = null, limitedUntil } = response
  return {
    ...turn,
    items: withAnswer(turn.items, content),
    state: stateAfter(stopReason),
    stopReason,
    error,
    notice,
    limited: limitedUntil !== undefined,
    cut,
    usage,
    endedAt: at,
  }
}

/** The state as the server keeps it, for who looks and for who comes back. */
function stateAfter(stopReason: string): ThreadTurn['state'] {
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
