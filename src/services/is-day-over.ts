/** Whether the open chapter of a conversation is due (DC2): for those who only read, and want to be told what goes on now. */
import { isOver } from '../domain/conversation/chapter.ts'
import { turnRunsIn } from '../store/queries/chapters.ts'
import { selectConversation } from '../store/queries/conversations.ts'
import { defineQuery } from '../store/store.ts'
import { streamOfKey } from './conversation-record.ts'

export const isDayOver = defineQuery({
  name: 'is-day-over',
  run: async (reader, { key }: { key: string }, { now }): Promise<boolean> => {
    streamOfKey(key)
    const row = await reader.first(selectConversation, { key })
    return row !== undefined && isOver(row.chapter_due_at, now) && !(await turnRunsIn(reader, key))
  },
})
