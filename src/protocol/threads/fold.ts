/**
 * How each event changes a thread: its messages, its turns, what waits, its limit, its agent. Pure,
 * and the only such function: a thread that was followed event by event is the one that a fresh
 * snapshot has (a test lets lives of all kinds say so). Never holds more than its bounds.
 */
import type { RelayEventBodies } from '../consoles/relay.ts'
import type { Message } from '../conversations/message.ts'
import type { HoldfastEvent } from '../events.ts'
import { foldTurn, isTurnStreamEvent } from './fold-turn.ts'
import { withRoleEvent } from './role-agent.ts'
import { emptyThread, type Thread, type ThreadEvent, type ThreadState } from './thread-state.ts'
import { begunTurn, shownPrompt } from './thread-turn.ts'

/** More than anybody scrolls through; the oldest are let go and can be read again. */
const mostMessages = 10_000
const messagesAfterCut = 5000
/** More than anybody watches end; earlier ones are read in pages. */
const mostTurns = 200

/** The same object when the event is about something else. */
export function fold(state: ThreadState, event: ThreadEvent): ThreadState {
  switch (event.type) {
    case 'message-added':
      return withMessages(state, [event.data.message])
    case 'message-withdrawn': {
      const messages = state.messages.filter(({ seq }) => seq !== event.data.seq)
      return { ...state, messages }
    }
    case 'messages-delivered': {
      const handedOver = [...new Set([...state.handedOver, ...event.data.seqs])]
      return { ...state, handedOver: handedOver.slice(-mostMessages) }
    }
    case 'messages-returned':
    case 'messages-read': {
      const { seqs } = event.data
      return { ...state, handedOver: state.handedOver.filter((seq) => !seqs.includes(seq)) }
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
      return withRoleEvent(withoutTurn(state, event.data.messageId), event)
    case 'agent:prompted':
      return withRoleEvent(withTurn(state, event.data, event.at), event)
    default:
      return withRoleEvent(withTurnEvent(state, event), event)
  }
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

/**
 * The thread after the next event of one of its streams. An event that it contains changes nothing;
 * behind one that is missing it is stale.
 */
export function follow(thread: Thread, event: HoldfastEvent): Thread {
  const head = thread.heads[event.stream]
  if (head === undefined || event.seq <= head) return thread
  const heads = { ...thread.heads, [event.stream]: event.seq }
  if (event.seq > head + 1) return { heads, state: { ...thread.state, isStale: true } }
  const state = 'data' in event ? fold(thread.state, event) : thread.state
  return { heads, state }
}
