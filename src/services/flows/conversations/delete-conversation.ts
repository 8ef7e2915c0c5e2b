/** Deletes a conversation with all that belongs to it: messages, turns, contexts, unread marks. */

import { later } from '../../../domain/instant.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import { removeChaptersOf } from '../../../store/conversations/chapters.ts'
import {
  type ConversationRow,
  selectDraftsBefore,
} from '../../../store/conversations/conversations.ts'
import { forgetConversation } from '../../../store/conversations/search.ts'
import { removeThreadDaysOf } from '../../../store/conversations/thread-days.ts'
import { closeLimitedHolders, liveLaunchesIn } from '../../../store/processes/launches.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { disownTurnFiles } from '../../../store/turns/turn-files.ts'
import { deleteTurnItemsOf, deleteTurnsOf } from '../../../store/turns/turns.ts'
import { ownerInRow } from '../../access/owners.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { tellChangedSession } from '../../tell-session.ts'
import { endContextsIn } from '../../turns/move-context.ts'
import { cancelQueuedTurns } from '../../turns/turn-record.ts'
import { forgetImported } from '../imports/forget-imported.ts'

/**
 * Deletes a conversation with its messages, turns and unread marks. A new one under its key
 * continues the numbers.
 */
export const deleteConversation = defineUseCase('delete-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, by }, context): Promise<void> => {
    const row = await existingConversation(tx, key)
    await removeConversation(tx, row, context)
    tx.append(conversationStream(key), { type: 'conversation-deleted', data: { by } })
    const isPrivate = ownerInRow(row) !== null
    tellChangedSession(tx, { key, projectId: row.project_id, isPrivate })
  },
})

/** Drafts are kept so long without a message and a title. */
const draftLifetimeMs = 24 * 3_600_000
const draftsAtOnce = 100

/** Removes sessions that were begun, and in which nobody has said anything since. */
export const dropDrafts = defineUseCase('drop-drafts', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, _: Record<never, never>, context): Promise<{ more: boolean }> => {
    const before = later(context.now, -draftLifetimeMs)
    const keys = await tx.all(selectDraftsBefore, { before, limit: draftsAtOnce })
    for (const { key } of keys) {
      tx.lock(conversationStream(key))
      const row = await tx.row('conversations', { key })
      if (row?.draft === 1) await removeConversation(tx, row, context)
    }
    return { more: keys.length === draftsAtOnce }
  },
})

async function removeConversation(
  tx: Tx,
  { key, lane, project_id }: ConversationRow,
  context: Context,
): Promise<void> {
  const { now } = context
  if (lane !== '' && project_id !== null) await endThread(tx, lane, project_id, context)
  await cancelQueuedTurns(tx, key, now)
  await tx.write(closeLimitedHolders, { key })
  await forgetImported(tx, key)
  await endContextsIn(tx, key, 'deleted', now)
  await tx.delete('unread_messages', { conversation_key: key })
  await tx.write(deleteTurnItemsOf, { key })
  await tx.write(deleteTurnsOf, { key })
  await tx.write(disownTurnFiles, { key })
  await forgetConversation(tx, key)
  await tx.delete('messages', { conversation_key: key })
  await tx.delete('seen_conversations', { conversation_key: key })
  await tx.delete('comments', { conversation_key: key })
  await tx.delete('comment_places', { conversation_key: key })
  await tx.delete('viewed_files', { conversation_key: key })
  await tx.delete('reviewed_trees', { conversation_key: key })
  await tx.delete('landing_steps', { conversation_key: key })
  await tx.delete('landings', { conversation_key: key })
  await tx.write(removeChaptersOf, { key })
  await tx.write(removeThreadDaysOf, { key })
  await tx.delete('open_conversations', { conversation_key: key })
  await tx.delete('conversation_names', { conversation_key: key })
  await tx.delete('session_names', { conversation_key: key })
  await tx.delete('conversations', { key })
}

/** Closes what people have open of a thread, and orders the end of its processes. */
async function endThread(tx: Tx, lane: string, projectId: string, context: Context): Promise<void> {
  tx.lock(projectStream(projectId))
  await tx.delete('panels', { lane })
  await tx.delete('pending_purposes', { lane })
  for (const launch of await liveLaunchesIn(tx, lane))
    await stopLaunch(tx, launch, { reason: 'finished' }, context)
}
