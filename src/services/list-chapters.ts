/** The days of a conversation, the newest first (DC5): the open one, if something was said since the last cutover, then the closed ones. */
import { goneOn } from '../domain/conversation/chapter.ts'
import type { Chapter } from '../protocol/chapter.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { chaptersBefore, openChapterOf } from '../store/queries/chapters.ts'
import { cutDayPage, dayBeforeAll, dayOf } from '../store/queries/day-cursor.ts'
import { defineQuery } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

export const listChapters = defineQuery({
  name: 'list-chapters',
  run: async (reader, { key, limit, cursor }: PageQuery & { key: string }): Promise<Page<Chapter>> => {
    streamOfKey(key)
    const open = openChapterOf(await existingConversation(reader, key))
    const before = dayOf(cursor, dayBeforeAll)
    const closed = await chaptersBefore(reader, { key, before, limit: limit + 1 })
    return cutDayPage(cursor === undefined && open && !isEmpty(open, closed[0]) ? withOpen(open, closed) : closed, limit)
  },
})

/** Nothing was said in it, and its summary is the one of what came in before (CV7). */
const isEmpty = (open: Chapter, last: Chapter | undefined): boolean =>
  open.messageCount === 0 && (open.summary === '' || open.summary === last?.summary)

/** A day that was closed and goes on is one chapter to whoever reads. */
function withOpen(open: Chapter, [newest, ...others]: readonly Chapter[]): Chapter[] {
  if (!newest) return [open]
  return newest.day === open.day ? [{ ...open, ...soFar(newest, open) }, ...others] : [open, newest, ...others]
}

function soFar(closed: Chapter, open: Chapter): Pick<Chapter, 'afterSeq' | 'messageCount' | 'summary'> {
  const { throughSeq: _, ...sum } = goneOn({ ...closed, throughSeq: 0 }, { ...open, throughSeq: 0 })
  return sum
}
