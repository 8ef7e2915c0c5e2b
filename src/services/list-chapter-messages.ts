/** What was said on one day of a conversation, oldest first (DC5): all of it, also what agents are no longer handed. */
import { because } from '../domain/because.ts'
import { parseDay } from '../domain/conversation/logical-day.ts'
import { Refusal } from '../domain/errors.ts'
import type { Message } from '../protocol/message.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { selectChapter } from '../store/queries/chapters.ts'
import { behindAll, messagesAfter } from '../store/queries/messages.ts'
import { cutSeqPage, seqOf } from '../store/queries/seq-cursor.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

interface ChapterMessages extends PageQuery {
  readonly key: string
  /** `2026-11-15` or `20261115`. */
  readonly day: string
  readonly hidden: boolean
}

export const listChapterMessages = defineQuery({
  name: 'list-chapter-messages',
  run: async (reader, { key, day, hidden, limit, cursor }: ChapterMessages): Promise<Page<Message>> => {
    streamOfKey(key)
    const { after, through } = await rangeOf(reader, key, day)
    const seq = Math.max(after, seqOf(cursor, after))
    const found = await messagesAfter(reader, { key, seq, hidden, originals: true, limit: limit + 1 })
    return cutSeqPage(
      found.filter((message) => message.seq <= through),
      limit,
    )
  },
})

/** A day may have a closed chapter and go on in the open one. */
async function rangeOf(reader: Reader, key: string, text: string): Promise<{ after: number; through: number }> {
  const row = await existingConversation(reader, key)
  const day = parseDay(text)
  const closed = day === undefined ? undefined : await reader.first(selectChapter, { key, day })
  const isOpen = day !== undefined && row.chapter_day === day
  if (!closed && !isOpen) throw new Refusal('not_found', because('noChapter', { key, day: text }), { key })
  return {
    after: closed ? closed.after_seq : row.chapter_after,
    through: isOpen ? behindAll : (closed?.through_seq ?? behindAll),
  }
}
