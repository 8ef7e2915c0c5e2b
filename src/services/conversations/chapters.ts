/** Closes chapters (DC2), makes daily notes of them (DC3), and reads both. */
import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import {
  type CutoverRule,
  type Day,
  endOf,
  isOver,
  logicalDay,
  mergeChapter,
  parseDay,
} from '../../domain/conversations/chapter.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, home, noteStream } from '../../domain/stream-name.ts'
import type { Chapter, Note } from '../../protocol/conversations/chapter.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  chaptersBefore,
  cutoverRule,
  type DueChapter,
  dueChapters,
  endChapters,
  type KeptRule,
  keepChaptersOpen,
  openChapterOf,
  type RuleSource,
  selectChapter,
  selectLastChapter,
  setRule,
  turnRunsIn,
} from '../../store/conversations/chapters.ts'
import { afterAllMessages, messagesAfter } from '../../store/conversations/messages.ts'
import {
  dayBeforeAll,
  deleteRemovedChapters,
  type NoteContents,
  noteContents,
  noteOf,
  notesBefore,
  numberChapters,
  selectDaysToNote,
  selectNotNoted,
  totalsOf,
} from '../../store/conversations/notes.ts'
import {
  noteThreadDays,
  selectThreadDaysToNote,
  selectThreadsNotNoted,
  threadsOf,
} from '../../store/conversations/thread-days.ts'
import { cutDayPage, cutSeqPage, dayOf, seqOf } from '../../store/page-cursor.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { ownerInRow } from '../access/owners.ts'
import { closeDueChapter, existingConversation, streamOfKey } from './conversation-record.ts'

// Closes a conversation's chapter if it is due, now or at a given moment (DC2). Waits while a turn
// runs.

export interface CutOver {
  readonly cut: boolean
  /** The day of the closed or open chapter. Null when there are no messages since the last one. */
  readonly day: string | null
}

export const cutOverConversation = defineUseCase('cut-over-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; at?: Instant | undefined }) => [streamOfKey(key)],
  run: async (tx, { key, at }, { now }): Promise<CutOver> => {
    const row = await existingConversation(tx, key)
    const cut =
      row.chapter_day !== null && (await closeDueChapter(tx, row, now, at)).chapter_day === null
    // An import may have closed an earlier day's chapter.
    const day = cut ? (await tx.first(selectLastChapter, { key }))?.day : openChapterOf(row)?.day
    return { cut, day: day ?? null }
  },
})

/**
 * Closes the due chapters of several conversations in one commit (DC2). Idempotent. One with a
 * running turn stays open.
 */
export const closeChapters = defineUseCase('close-chapters', {
  scope: 'server',
  on: 'nobody',
  streams: ({ keys }: { keys: readonly string[] }) => keys.map(conversationStream),
  run: async (tx, { keys }, { now }): Promise<{ closed: number }> => {
    let closed = 0
    for (const key of keys) {
      const row = await tx.row('conversations', { key })
      if (
        row &&
        row.chapter_day !== null &&
        (await closeDueChapter(tx, row, now)).chapter_day === null
      )
        closed++
    }
    return { closed }
  },
})

type Input = Partial<CutoverRule> & { readonly source: RuleSource }

/**
 * Sets when days begin (DC1). Open chapters keep their end; later ones follow the new rule.
 * Switching cutover off removes the end of open chapters; switching it on ends them today.
 */
export const setCutoverRule = defineUseCase('set-cutover-rule', {
  scope: 'manage',
  on: 'nobody',
  streams: () => [],
  run: async (
    tx,
    { source, ...change }: Input,
    { now },
  ): Promise<CutoverRule & { source: RuleSource }> => {
    const before = await cutoverRule(tx)
    if (source === 'chosen' && before.source === 'configuration')
      throw new Refusal('wrong_state', refusalText('cutoverConfigured'), { source: before.source })
    const rule = {
      hour: change.hour === undefined ? before.hour : change.hour,
      timezone: change.timezone ?? before.timezone,
    }
    await setRule(tx, rule, source)
    if (rule.hour === null) await tx.write(keepChaptersOpen, {})
    else if (before.hour === null)
      await tx.write(endChapters, { dueAt: endOf(rule, logicalDay(rule, now)) })
    return { ...rule, source }
  },
})

// Records which chapters a daily note consists of, and that its file was written (DC3).

/** Chapters in one commit, so as not to delay new messages (DC8). */
const maxAddedChapters = 500

/**
 * Adds newly closed chapters to the note of their day and removes those of deleted conversations
 * (DC3). The note's new number tells the writer that the file is outdated. Idempotent.
 */
export const addChaptersToNote = defineUseCase('add-chapters-to-note', {
  scope: 'server',
  on: 'nobody',
  streams: ({ day }: { day: Day }) => [noteStream(day), home],
  run: async (tx, { day }, { now }): Promise<{ more: boolean }> => {
    const few = { day, limit: maxAddedChapters }
    const found = await tx.all(selectNotNoted, few)
    const threads = await tx.all(selectThreadsNotNoted, few)
    if (found.length + threads.length === 0) return { more: false }
    const seq = tx.append(noteStream(day), { type: 'chapters-noted', data: { day } })
    await tx.write(numberChapters, { ...few, seq })
    await tx.write(deleteRemovedChapters, few)
    await noteThreadDays(tx, few, seq)
    const before = await tx.row('notes', { day })
    const note = { written_seq: before?.written_seq ?? 0, problem: before?.problem ?? null }
    const totals = await totalsOf(tx, day)
    const conversations = totals.conversations + (await threadsOf(tx, day))
    const row = { day, ...totals, conversations, seq, ...note, updated_at: now }
    await tx.put('notes', row)
    tx.append(home, { type: 'note-changed', data: { note: noteOf(row) } })
    return { more: Math.max(found.length, threads.length) === maxAddedChapters }
  },
})

const maxProblemChars = 500

type NoteResult = { readonly day: Day } & (
  | { readonly writtenSeq: number }
  | { readonly problem: string }
)

/** Records that a note's file was written up to a number, or why it was not (DC4). */
export const markNoteWritten = defineUseCase('mark-note-written', {
  scope: 'server',
  on: 'nobody',
  streams: ({ day }: NoteResult) => [noteStream(day), home],
  run: async (tx, { day, ...what }, { now }): Promise<void> => {
    const before = await tx.row('notes', { day })
    if (!before) return
    const change =
      'problem' in what
        ? { problem: what.problem.slice(0, maxProblemChars).toWellFormed() }
        : { written_seq: Math.max(before.written_seq, what.writtenSeq), problem: null }
    const row = { ...before, ...change }
    if (row.written_seq === before.written_seq && row.problem === before.problem) return
    await tx.put('notes', { ...row, updated_at: now })
    tx.append(home, { type: 'note-changed', data: { note: noteOf({ ...row, updated_at: now }) } })
  },
})

// Read queries for chapters and daily notes, and for which of them are due.

/**
 * Lists the chapters of a conversation, newest first (DC5): the open one if it has messages, then
 * the closed ones.
 */
export const listChapters = defineQuery('list-chapters', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, limit, cursor }: PageQuery & { key: string },
  ): Promise<Page<Chapter>> => {
    streamOfKey(key)
    const open = openChapterOf(await existingConversation(reader, key))
    const before = dayOf(cursor, dayBeforeAll)
    const closed = await chaptersBefore(reader, { key, before, limit: limit + 1 })
    return cutDayPage(
      cursor === undefined && open && !isEmpty(open, closed[0])
        ? mergeOpenChapter(open, closed)
        : closed,
      limit,
    )
  },
})

/**
 * Whether a chapter has no messages and no summary of its own. Imports carry a summary over (CV7).
 */
const isEmpty = (open: Chapter, last: Chapter | undefined): boolean =>
  open.messageCount === 0 && (open.summary === '' || open.summary === last?.summary)

/** Shows a closed chapter and an open one of the same day as one. */
function mergeOpenChapter(open: Chapter, [newest, ...others]: readonly Chapter[]): Chapter[] {
  if (!newest) return [open]
  return newest.day === open.day
    ? [{ ...open, ...mergedCounts(newest, open) }, ...others]
    : [open, newest, ...others]
}

function mergedCounts(
  closed: Chapter,
  open: Chapter,
): Pick<Chapter, 'afterSeq' | 'messageCount' | 'summary'> {
  const { throughSeq: _, ...sum } = mergeChapter(
    { ...closed, throughSeq: 0 },
    { ...open, throughSeq: 0 },
  )
  return sum
}

interface ChapterMessages extends PageQuery {
  readonly key: string
  readonly day: string
  readonly hidden: boolean
}

/** Lists the messages of one day, oldest first (DC5), including those that agents no longer get. */
export const listChapterMessages = defineQuery('list-chapter-messages', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, day, hidden, limit, cursor }: ChapterMessages,
  ): Promise<Page<Message>> => {
    streamOfKey(key)
    const { after, through } = await rangeOf(reader, key, day)
    const seq = Math.max(after, seqOf(cursor, after))
    const found = await messagesAfter(reader, {
      key,
      seq,
      hidden,
      originals: true,
      limit: limit + 1,
    })
    return cutSeqPage(
      found.filter((message) => message.seq <= through),
      limit,
    )
  },
})

/** The range of messages of a day, which may have a closed and an open chapter. */
async function rangeOf(
  reader: Reader,
  key: string,
  text: string,
): Promise<{ after: number; through: number }> {
  const row = await existingConversation(reader, key)
  const day = parseDay(text)
  const closed = day === undefined ? undefined : await reader.first(selectChapter, { key, day })
  const isOpen = day !== undefined && row.chapter_day === day
  if (!closed && !isOpen)
    throw new Refusal('not_found', refusalText('noChapter', { key, day: text }), { key })
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
export const listNotes = defineQuery('list-notes', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, { month, state, limit, cursor }: NotesQuery): Promise<Page<Note>> => {
    const prefix = month === undefined ? '' : `${month.slice(0, 4)}-${month.slice(4)}-`
    const end = prefix === '' ? dayBeforeAll : `${prefix}99`
    const before = dayOf(cursor, end)
    const behind = {
      leastBehind: state === 'pending' ? 1 : 0,
      mostBehind: state === 'written' ? 0 : Number.MAX_SAFE_INTEGER,
    }
    const found = await notesBefore(reader, {
      from: prefix,
      before: before < end ? before : end,
      ...behind,
      limit: limit + 1,
    })
    const { items, nextCursor } = cutDayPage(
      found.map((note) => ({ ...note, day: note.date })),
      limit,
    )
    return { items: items.map(({ day: _, ...note }) => note), nextCursor }
  },
})

/** The contents of a day's note with the conversations that the caller may see (SE28). */
export const readNote = defineQuery('read-note', {
  scope: 'read',
  on: 'viewer',
  run: async (reader, { day, viewer }: { day: Day; viewer: Viewer }): Promise<NoteContents> => {
    const contents = await noteContents(reader, day)
    if (viewer === null) return contents
    const seen = new Set<string>()
    for (const { key } of [...contents.chapters, ...contents.threads]) {
      const row = await reader.row('conversations', { key })
      if (isVisible(viewer, row && ownerInRow(row))) seen.add(key)
    }
    const chapters = contents.chapters.filter(({ key }) => seen.has(key))
    return { ...contents, chapters, threads: contents.threads.filter(({ key }) => seen.has(key)) }
  },
})

const daysPageSize = 100

/** Lists days that miss something in their note: closed chapters, and sessions once over. */
export const findDaysToNote = defineQuery('find-days-to-note', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (reader, _, { now }): Promise<Day[]> => {
    const limit = daysPageSize
    const closed = await reader.all(selectDaysToNote, { limit })
    const before = logicalDay(await cutoverRule(reader), now)
    const over = await reader.all(selectThreadDaysToNote, { before, limit })
    return [...new Set([...closed, ...over].map(({ day }) => day))].sort()
  },
})

/** Chapters closed in one commit. Few enough not to delay new messages (DC8). */
const chaptersPageSize = 50

export interface DueChapters {
  /** Conversations without a running turn. */
  readonly keys: readonly string[]
  /** The position to continue from. Null after the last page. */
  readonly last: DueChapter | null
}

/** Lists conversations whose chapter is due (DC2), longest due first, after a position. */
export const findDueChapters = defineQuery('find-due-chapters', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { after }: { after: DueChapter }, { now }): Promise<DueChapters> => {
    const due = await dueChapters(reader, now, after, chaptersPageSize)
    const keys: string[] = []
    for (const { key } of due) if (!(await turnRunsIn(reader, key))) keys.push(key)
    return { keys, last: due.length < chaptersPageSize ? null : (due.at(-1) ?? null) }
  },
})

/** Returns when days begin (DC1) and where that was set. */
export const getCutoverRule = defineQuery('get-cutover-rule', {
  scope: 'read',
  on: 'nobody',
  run: (reader): Promise<KeptRule> => cutoverRule(reader),
})

/**
 * Whether a conversation's open chapter is due (DC2). Readers use it to close the chapter first.
 */
export const isDayOver = defineQuery('is-day-over', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { key }: { key: string }, { now }): Promise<boolean> => {
    streamOfKey(key)
    const row = await reader.row('conversations', { key })
    return row !== undefined && isOver(row.chapter_due_at, now) && !(await turnRunsIn(reader, key))
  },
})
