/**
 * How each event changes what every conversation has: its messages, its turns, what waits, its
 * limit. Pure. The page loads it without what is of roles only, which `fold.ts` adds. Never holds
 * more than its bounds.
 */
import { rankOf } from '../../domain/conversations/messages.ts'
import type { RelayEventBodies } from '../consoles/relay.ts'
import type { Message } from '../conversations/message.ts'
import { foldTurn, isTurnStreamEvent } from './fold-turn.ts'
import { emptyThread, type ThreadEvent, type ThreadState } from './thread-state.ts'
import { begunTurn, shownPrompt } from './thread-turn.ts'

/** More than anybody scrolls through; the oldest are let go and can be read again. */
const mostMessages = 10_000
const messagesAfterCut = 5000
/** More than anybody watches end; earlier ones are read in pages. */
const mostTurns = 200

/** The same object when the event is about something else. */
export function foldConversation(state: ThreadState, event: ThreadEvent): ThreadState {
  switch (event.type) {
    case 'message-added':
      return withMessages(withWaiting(state, event.data.message), [event.data.message])
    case 'message-withdrawn': {
      const messages = state.messages.filter(({ seq }) => seq !== event.data.seq)
      return { ...notWaiting(state, [event.data.seq]), messages }
    }
    case 'messages-delivered': {
      const handedOver = [...new Set([...state.handedOver, ...event.data.seqs])]
      return {
        ...notWaiting(state, event.data.seqs),
        handedOver: handedOver.slice(-mostMessages),
      }
    }
    case 'messages-ordered':
      return { ...state, waiting: event.data.seqs.map((seq) => ({ seq, rank: null })) }
    case 'messages-returned':
    case 'messages-read': {
      const { seqs } = event.data
      const handedOver = state.handedOver.filter((seq) => !seqs.includes(seq))
      const now = { ...state, handedOver }
      return event.type === 'messages-read' ? notWaiting(now, seqs) : withReturned(now, seqs)
    }
    case 'chat-limited': {
      const { until, goesOn } = event.data
      return { ...state, limit: until === null ? null : { until, goesOn } }
    }
    case 'conversation-deleted':
      return { ...emptyThread, isRole: state.isRole }
    // Which turns went, and what is back, is not in the event.
    case 'conversation-rewound':
      return { ...state, isStale: true }
    case 'agent:withdrawn':
      return withoutTurn(state, event.data.messageId)
    case 'agent:prompted':
      return withTurn(state, event.data, event.at)
    default:
      return withTurnEvent(state, event)
  }
}

/** More than anybody reads; the rest is in the snapshot. */
export const mostWaiting = 500

/** Behind what is in its place or as urgent: so it is told. */
function withWaiting(state: ThreadState, message: Message): ThreadState {
  const { seq, role, visible, projectId, priority } = message
  const isKnown = state.waiting.some((each) => each.seq === seq)
  if (role !== 'user' || !visible || projectId === null || state.isRole || isKnown) return state
  const rank = rankOf(priority)
  const at = state.waiting.findIndex((each) => each.rank !== null && each.rank < rank)
  const waiting = state.waiting.toSpliced(at < 0 ? state.waiting.length : at, 0, { seq, rank })
  return { ...state, waiting: waiting.slice(0, mostWaiting) }
}

function notWaiting(state: ThreadState, seqs: readonly number[]): ThreadState {
  const waiting = state.waiting.filter(({ seq }) => !seqs.includes(seq))
  return waiting.length === state.waiting.length ? state : { ...state, waiting }
}

/** They were first, and are again. */
function withReturned(state: ThreadState, seqs: readonly number[]): ThreadState {
  const ranks = new Map(state.messages.map((each) => [each.seq, rankOf(each.priority)]))
  const returned = seqs.map((seq) => ({ seq, rank: ranks.get(seq) ?? 1 }))
  return { ...state, waiting: [...returned, ...notWaiting(state, seqs).waiting] }
}

function withTurnEvent(state: ThreadState, event: ThreadEvent): ThreadState {
  if (!isTurnStreamEvent(event)) return state
  const turns = state.turns.map((turn) => foldTurn(turn, event))
  return turns.some((turn, index) => turn !== state.turns[index]) ? { ...state, turns } : state
}

function withTurn(
  state: ThreadState,
  { messageId, by, content }: RelayEventBodies['agent:prompted'],
  at: string,
): ThreadState {
  if (state.turns.some(({ id }) => id === messageId)) return state
  const turn = begunTurn({ messageId, by, content: state.isRole ? shownPrompt(content) : [] }, at)
  return { ...state, turns: [...state.turns, turn].slice(-mostTurns) }
}

/** One that did not run waits again. */
function withoutTurn(state: ThreadState, turnId: string): ThreadState {
  const turns = state.turns.filter(({ id }) => id !== turnId)
  return turns.length === state.turns.length ? state : { ...state, turns }
}

/** With more messages, in their order. */
export function withMessages(state: ThreadState, added: readonly Message[]): ThreadState {
  const numbers = new Set(state.messages.map(({ seq }) => seq))
  const fresh = added.filter(({ visible, seq }) => visible && !numbers.has(seq))
  if (fresh.length === 0) return state
  const messages = [...state.messages, ...fresh].sort((a, b) => a.seq - b.seq)
  if (messages.length <= mostMessages) return { ...state, messages }
  return { ...state, messages: messages.slice(-messagesAfterCut), older: undefined }
}
