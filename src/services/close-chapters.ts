/** Closes the chapters that are due of a few conversations, in one commit (DC2). Harmless when done twice; one with a turn in it waits. */
import { conversationStream } from '../domain/stream/name.ts'
import { selectConversation } from '../store/queries/conversations.ts'
import { defineUseCase } from '../store/store.ts'
import { withoutDueChapter } from './chapter-record.ts'

export const closeChapters = defineUseCase({
  name: 'close-chapters',
  streams: ({ keys }: { keys: readonly string[] }) => keys.map(conversationStream),
  run: async (tx, { keys }, { now }): Promise<{ closed: number }> => {
    let closed = 0
    for (const key of keys) {
      const row = await tx.first(selectConversation, { key })
      if (row && row.chapter_day !== null && (await withoutDueChapter(tx, row, now)).chapter_day === null) closed++
    }
    return { closed }
  },
})
