/** Read queries for chapters and daily notes, and for which of them are due. */

import { type Day, isOver, mergeChapter, parseDay } from '../../domain/conversations/chapter.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
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
import { afterAllMessages, messagesAfter } from '../../store/conversations/messages.ts'
import { dayBeforeAll, notesBefore, selectDaysToNote } from '../../store/conversations/notes.ts'
import { cutDayPage, cutSeqPage, dayOf, seqOf } from '../../store/page-cursor.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

/** Lists the chapters of a conversation, newest first (DC5): the open one if it has messages, then the closed ones. */
export const listChapters = defineQuery(
  async (reader, { key, limit, cursor }: PageQuery & { key: string }): Promise<Page<Chapter>> => {
    streamOfKey(key)
    const open = openChapterOf(await existingConversation(reader, key))
    const before = dayOf(cursor, dayBeforeAll)
    const closed = await chaptersBefore(reader, { key, before, limit: limit + 1 })
    return cutDayPage(cursor === undefined && open && !isEmpty(open, closed[0]) ? mergeOpenChapter(open, closed) : closed, limit)
  },
)

/** Whether a chapter has no messages and no summary of its own. Imports carry a summary over (CV7). */
const isEmpty = (open: Chapter, last: Chapter | undefined): boolean =>
  open.messageCount === 0 && (open.summary === '' || open.summary === last?.summary)

/** Shows a closed chapter and an open one of the same day as one. */
function mergeOpenChapter(open: Chapter, [newest, ...others]: readonly Chapter[]): Chapter[] {
  if (!newest) return [open]
  return newest.day === open.day ? [{ ...open, ...mergedCounts(newest, open) }, ...others] : [open, newest, ...others]
}

function mergedCounts(closed: Chapter, open: Chapter): Pick<Chapter, 'afterSeq' | 'messageCount' | 'summary'> {
  const { throughSeq: _, ...sum } = mergeChapter({ ...closed, throughSeq: 0 }, { ...open, throughSeq: 0 })
  return sum
}

interface ChapterMessages extends PageQuery {
  readonly key: string
  readonly day: string
  readonly hidden: boolean
}

/** Lists the messages of one day, oldest first (DC5), including those that agents no longer get. */
export const listChapterMessages = defineQuery(
  async (reader, { key, day, hidden, limit, cursor }: ChapterMessages): Promise<Page<Message>> => {
    streamOfKey(key)
    const { after, through } = await rangeOf(reader, key, day)
    const seq = Math.max(after, seqOf(cursor, after))
    const found = await messagesAfter(reader, { key, seq, hidden, originals: true, limit: limit + 1 })
    return cutSeqPage(
      found.filter((message) => message.seq <= through),
      limit,
    )
  },
)

/** The range of messages of a day, which may have a closed and an open chapter. */
async function rangeOf(reader: Reader, key: string, text: string): Promise<{ after: number; through: number }> {
  const row = await existingConversation(reader, key)
  const day = parseDay(text)
  const closed = day === undefined ? undefined : await reader.first(selectChapter, { key, day })
  const isOpen = day !== undefined && row.chapter_day === day
  if (!closed && !isOpen) throw new Refusal('not_found', refusalText('noChapter', { key, day: text }), { key })
  return {
    after: closed ? closed.after_seq : row.chapter_after,
    through: isOpen ? afterAllMessages : (closed?.through_seq ?? afterAllMessages),
  }
}

interface NotesQuery extends PageQuery {
  /** `202611`. */
  readonly month?: string | undefined
  readonly state?: Note['state'] | undefined
}

/** Lists notes, newest first, of one month or all (DC3). */
export const listNotes = defineQuery(async (reader, { month, state, limit, cursor }: NotesQuery): Promise<Page<Note>> => {
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
})

const daysPageSize = 100

/** Lists days with closed chapters that are missing from their note, oldest first. */
export const findDaysToNote = defineQuery(
  async (reader): Promise<Day[]> => (await reader.all(selectDaysToNote, { limit: daysPageSize })).map(({ day }) => day),
  { withoutSnapshot: true },
)

/** Chapters closed in one commit. Few enough not to delay new messages (DC8). */
const chaptersPageSize = 50

export interface DueChapters {
  /** Conversations without a running turn. */
  readonly keys: readonly string[]
  /** The position to continue from. Null after the last page. */
  readonly last: DueChapter | null
}

/** Lists conversations whose chapter is due (DC2), longest due first, after a position. */
export const findDueChapters = defineQuery(async (reader, { after }: { after: DueChapter }, { now }): Promise<DueChapters> => {
  const due = await dueChapters(reader, now, after, chaptersPageSize)
  const keys: string[] = []
  for (const { key } of due) if (!(await turnRunsIn(reader, key))) keys.push(key)
  return { keys, last: due.length < chaptersPageSize ? null : (due.at(-1) ?? null) }
})

/** Returns when days begin (DC1) and where that was set. */
export const getCutoverRule = defineQuery((reader): Promise<KeptRule> => cutoverRule(reader))

/** Whether a conversation's open chapter is due (DC2). Readers use it to close the chapter first. */
export const isDayOver = defineQuery(async (reader, { key }: { key: string }, { now }): Promise<boolean> => {
  streamOfKey(key)
  const row = await reader.row('conversations', { key })
  return row !== undefined && isOver(row.chapter_due_at, now) && !(await turnRunsIn(reader, key))
})
