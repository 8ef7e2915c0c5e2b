/**
 * A session as the page knows it (`ThreadState`), and how its snapshots and events change it. Pure.
 * Messages are in their order and without holes: what is known reaches from some message to the
 * newest.
 */

import type { ArchivePart } from '../../../src/protocol/conversations/archive.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import {
  type ConversationState,
  snapshotMessageLimit,
  type TurnsState,
} from '../../../src/protocol/snapshot.ts'
import { foldConversation, withMessages } from '../../../src/protocol/threads/fold-conversation.ts'
import { emptyThread, type ThreadState } from '../../../src/protocol/threads/thread-state.ts'
import { shownTurn, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import type { Item } from '../../../src/protocol/threads/turn-items.ts'

/** Nothing is known yet. */
export const unknownThread: ThreadState = { ...emptyThread, older: undefined }

export const withOlder = (
  thread: ThreadState,
  { items, older }: Pick<ArchivePart, 'items' | 'older'>,
): ThreadState => ({
  ...withMessages(thread, items),
  older,
})

/**
 * The newest alone, as a snapshot has them: the older ones of a chat that nobody looks at can be
 * read again.
 */
export const newestOf = (thread: ThreadState): ThreadState =>
  thread.messages.length <= snapshotMessageLimit
    ? thread
    : { ...thread, messages: thread.messages.slice(-snapshotMessageLimit), older: undefined }

/** Replaces the known messages, unless the new part continues them. */
export function afterSnapshot(
  thread: ThreadState,
  { messages, handedOver, waiting, limit }: ConversationState,
): ThreadState {
  const now = { ...thread, handedOver, waiting, limit }
  const oldest = messages.at(-1)
  if (oldest && thread.messages.some(({ seq }) => seq === oldest.seq))
    return withMessages(now, messages)
  const whole = messages.length < snapshotMessageLimit
  return withMessages({ ...now, messages: [], older: whole ? false : undefined }, messages)
}

/** Those turns that run are replaced, those that were seen to end stay. */
export function afterTurnsSnapshot(
  thread: ThreadState,
  { running, commands }: TurnsState,
): ThreadState {
  const over = thread.turns.filter(
    ({ state, id }) => state !== 'running' && !running.some(({ turn }) => turn.messageId === id),
  )
  const shown = running.map(({ turn, items, permissions }) =>
    shownTurn({ ...turn, content: [] }, permissions, items as readonly Item[]),
  )
  return {
    ...thread,
    turns: [...over, ...shown],
    offers: { ...thread.offers, commands: commands.flatMap((each) => each.commands) },
  }
}

/** The same object when the event is about something else. */
export function afterEvent(thread: ThreadState, event: HoldfastEvent): ThreadState {
  if (!('data' in event)) return thread
  if (event.type !== 'conversation-rewound') return foldConversation(thread, event)
  // What is brought back is read again (work.ts).
  const { undone, through } = event.data
  return undone
    ? thread
    : { ...thread, messages: thread.messages.filter(({ seq }) => seq <= through) }
}

export const withTurns = (
  thread: ThreadState,
  change: (turns: readonly ThreadTurn[]) => readonly ThreadTurn[],
): ThreadState => ({ ...thread, turns: change(thread.turns) })
