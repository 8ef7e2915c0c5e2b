/**
 * Deletes what was taken in from an agent's own files and nobody continued here (IM6), some at a
 * time. The files stay as they are.
 */
import { conversationStream } from '../../../domain/stream-name.ts'
import type { PastAgent } from '../../../protocol/conversations/past-session.ts'
import { selectUntouched } from '../../../store/conversations/imported-sessions.ts'
import { defineUseCase } from '../../../store/store.ts'
import { deleteConversation } from '../conversations/delete-conversation.ts'

const deletedAtOnce = 20

export const deleteImported = defineUseCase('delete-imported', {
  scope: 'write',
  on: 'caller',
  run: async (
    tx,
    { by, agent }: { readonly by: string; readonly agent: PastAgent },
    context,
  ): Promise<{ deleted: number; more: boolean }> => {
    const query = { accountId: by, agent, limit: deletedAtOnce }
    const found = await tx.all(selectUntouched, query)
    for (const { key } of found) {
      tx.lock(conversationStream(key))
      await deleteConversation.run(tx, { key, by }, context)
    }
    return { deleted: found.length, more: found.length === deletedAtOnce }
  },
})
