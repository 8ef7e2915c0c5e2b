/** Deletes a conversation with all that belongs to it: messages, turns, contexts, unread marks. */

import { conversationStream } from '../../domain/stream-name.ts'
import { removeChaptersOf } from '../../store/conversations/chapters.ts'
import { forgetConversation } from '../../store/conversations/search.ts'
import { closeLimitedHolders } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { disownTurnFiles } from '../../store/turns/turn-files.ts'
import { deleteTurnItemsOf, deleteTurnsOf } from '../../store/turns/turns.ts'
import { ownerInRow } from '../access/owners.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { tellChangedSession } from '../tell-session.ts'
import { endContextsIn } from '../turns/move-context.ts'
import { cancelQueuedTurns } from '../turns/turn-record.ts'

/**
 * Deletes a conversation with its messages, turns and unread marks. A new one under its key
 * continues the numbers.
 */
export const deleteConversation = defineUseCase('delete-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, by }, { now }): Promise<void> => {
    const row = await existingConversation(tx, key)
    await cancelQueuedTurns(tx, key, now)
    await tx.write(closeLimitedHolders, { key })
    await endContextsIn(tx, key, 'deleted', now)
    await tx.delete('unread_messages', { conversation_key: key })
    await tx.write(deleteTurnItemsOf, { key })
    await tx.write(deleteTurnsOf, { key })
    await tx.write(disownTurnFiles, { key })
    await forgetConversation(tx, key)
    await tx.delete('messages', { conversation_key: key })
    await tx.delete('seen_conversations', { conversation_key: key })
    await tx.delete('comments', { conversation_key: key })
    await tx.delete('landing_steps', { conversation_key: key })
    await tx.delete('landings', { conversation_key: key })
    await tx.delete('comment_places', { conversation_key: key })
    await tx.delete('viewed_files', { conversation_key: key })
    await tx.delete('reviewed_trees', { conversation_key: key })
    await tx.write(removeChaptersOf, { key })
    await tx.delete('open_conversations', { conversation_key: key })
    await tx.delete('conversation_names', { conversation_key: key })
    await tx.delete('conversations', { key })
    tx.append(conversationStream(key), { type: 'conversation-deleted', data: { by } })
    const isPrivate = ownerInRow(row) !== null
    tellChangedSession(tx, { key, projectId: row.project_id, isPrivate })
  },
})
