/** What somebody has looked at (RV5): a mark counts as long as the file is that version. */
import { conversationStream } from '../../domain/stream-name.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { existingConversation } from '../conversations/conversation-record.ts'

interface Whose {
  readonly key: string
  readonly by: string
}

export const findViewed = defineQuery('find-viewed', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key, by }: Whose): Promise<{ file: string; blob: string }[]> => {
    await existingConversation(reader, key)
    const rows = await reader.rows('viewed_files', { person_id: by, conversation_key: key }, 'file')
    return rows.map(({ file, blob }) => ({ file, blob }))
  },
})

/** `blob`: the version that was seen; null takes the mark off. */
export const markViewed = defineUseCase('mark-viewed', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Whose & { readonly file: string; readonly blob: string | null }) => [
    conversationStream(key),
  ],
  run: async (tx, { key, by, file, blob }): Promise<void> => {
    await existingConversation(tx, key)
    const mark = { person_id: by, conversation_key: key, file }
    if (blob === null) await tx.delete('viewed_files', mark)
    else await tx.put('viewed_files', { ...mark, blob })
  },
})

export const setReviewed = defineUseCase('set-reviewed', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Whose & { readonly to: string }) => [conversationStream(key)],
  run: async (tx, { key, by, to }, { now }): Promise<void> => {
    await existingConversation(tx, key)
    await tx.put('reviewed_trees', { person_id: by, conversation_key: key, tree: to, at: now })
  },
})
