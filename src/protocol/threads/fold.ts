/**
 * How each event changes a thread: its messages, its turns, what waits, its limit, its agent. Pure,
 * and the only such function: a thread that was followed event by event is the one that a fresh
 * snapshot has (a test lets lives of all kinds say so).
 */
import type { HoldfastEvent } from '../events.ts'
import { foldConversation } from './fold-conversation.ts'
import { withRoleEvent } from './role-agent.ts'
import type { Thread, ThreadEvent, ThreadState } from './thread-state.ts'

/** The same object when the event is about something else. */
export const fold = (state: ThreadState, event: ThreadEvent): ThreadState =>
  withRoleEvent(foldConversation(state, event), event)

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
