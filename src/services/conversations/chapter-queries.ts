/** Reads about chapters and daily notes, and which of them are due. */

import { refusalText } from '../../domain/because.ts'
import { isOver, mergeChapter } from '../../domain/conversations/chapter.ts'
import { type Day, parseDay } from '../../domain/conversations/logical-day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Chapter, Note } from '../../protocol/conversations/chapter.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  chaptersBefore,
  cutoverRule,
  type DueChapter,
  dueChapters,
  type KeptRule,
  openChapterOf,
  selectChapter,
  turnRunsIn,
} from '../../store/conversations/chapters.ts'
import { selectConversation } from '../../store/conversations/conversations.ts'
import { behindAll, messagesAfter } from '../../store/conversations/messages.ts'
import { cutDayPage, dayBeforeAll, dayOf, notesBefore, selectDaysToNote } from '../../store/conversations/notes.ts'
import { cutSeqPage, seqOf } from '../../store/page-cursor.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

/** The days of a conversation, the newest first (DC5): the open one, if something was said since the last cutover, then the closed ones. */
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
  const { throughSeq: _, ...sum } = mergeChapter({ ...closed, throughSeq: 0 }, { ...open, throughSeq: 0 })
  return sum
}

interface ChapterMessages extends PageQuery {
  readonly key: string
  /** `2026-11-15` or `20261115`. */
  readonly day: string
  readonly hidden: boolean
}

/** What was said on one day of a conversation, oldest first (DC5): all of it, also what agents are no longer handed. */
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
  if (!closed && !isOpen) throw new Refusal('not_found', refusalText('noChapter', { key, day: text }), { key })
  return {
    after: closed ? closed.after_seq : row.chapter_after,
    through: isOpen ? behindAll : (closed?.through_seq ?? behindAll),
  }
}

interface AskedNotes extends PageQuery {
  /** `202611`. */
  readonly month?: string | undefined
  readonly state?: Note['state'] | undefined
}

/** The notes there are, the newest first; of one month, or all (DC3). */
export const listNotes = defineQuery({
  name: 'list-notes',
  run: async (reader, { month, state, limit, cursor }: AskedNotes): Promise<Page<Note>> => {
    const prefix = month === undefined ? '' : `${month.slice(0, 4)}-${month.slice(4)}-`
    const end = prefix === '' ? dayBeforeAll : `${prefix}99`
    const before = dayOf(cursor, end)
    const behind = {
      leastBehind: state === 'pending' ? 1 : 0,
      mostBehind: state === 'written' ? 0 : Number.MAX_SAFE_INTEGER,
    }
    const found = await notesBefore(reader, { from: prefix, before: before < end ? before : end, ...behind, limit: limit + 1 })
    const { items, nextCursor } = cutDayPage(
      found.map((note) => ({ ...note, day: note.date })),
      limit,
    )
    return { items: items.map(({ day: _, ...note }) => note), nextCursor }
  },
})

const daysAtOnce = 100

/** Days with closed chapters that their note does not know of yet, the oldest first. */
export const findDaysToNote = defineQuery({
  name: 'find-days-to-note',
  withoutSnapshot: true,
  run: async (reader): Promise<Day[]> => (await reader.all(selectDaysToNote, { limit: daysAtOnce })).map(({ day }) => day),
})

/** Closed in one commit: few enough that a message which comes meanwhile is not kept waiting (DC8). */
const closedAtOnce = 50

export interface DueChapters {
  /** None of those in which a turn runs. */
  readonly keys: readonly string[]
  /** Where to go on; null when these were all. */
  readonly last: DueChapter | null
}

/** Conversations whose day is over (DC2), the longest due first, behind the last one seen. Looks at none that is not due. */
export const findDueChapters = defineQuery({
  name: 'find-due-chapters',
  run: async (reader, { after }: { after: DueChapter }, { now }): Promise<DueChapters> => {
    const due = await dueChapters(reader, now, after, closedAtOnce)
    const keys: string[] = []
    for (const { key } of due) if (!(await turnRunsIn(reader, key))) keys.push(key)
    return { keys, last: due.length < closedAtOnce ? null : (due.at(-1) ?? null) }
  },
})

/** When days begin (DC1), and who says so. */
export const getCutoverRule = defineQuery({
  name: 'get-cutover-rule',
  run: (reader): Promise<KeptRule> => cutoverRule(reader),
})

/** Whether the open chapter of a conversation is due (DC2): for those who only read, and want to be told what goes on now. */
export const isDayOver = defineQuery({
  name: 'is-day-over',
  run: async (reader, { key }: { key: string }, { now }): Promise<boolean> => {
    streamOfKey(key)
    const row = await reader.first(selectConversation, { key })
    return row !== undefined && isOver(row.chapter_due_at, now) && !(await turnRunsIn(reader, key))
  },
})
