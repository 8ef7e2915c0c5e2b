/**
 * Opens and closes chapters inside use cases (DC2). The first message opens a chapter. A chapter whose day is over is closed in
 * the same commit, before anything else, unless a turn runs in it (DC6).
 */
import { chapterDay, type Day, endOf, isOver, logicalDay, mergeChapter } from '../../domain/conversations/chapter.ts'
import { hasDays } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import {
  type ChapterRow,
  closedChapter,
  cutoverRule,
  leaveChapter,
  openChapter,
  putChapter,
  restartChapter,
  selectChapter,
  selectLastChapter,
  turnRunsIn,
} from '../../store/conversations/chapters.ts'
import { type ConversationRow, selectConversation } from '../../store/conversations/conversations.ts'
import { selectLastMessage } from '../../store/conversations/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'

/**
 * Opens a chapter for messages written at `said`. Imported messages of an earlier day (CV7) belong to that day; agents still
 * get them until the next boundary.
 */
export async function beginChapter(tx: Tx, row: ConversationRow, now: Instant, said = now): Promise<ConversationRow> {
  const rule = await cutoverRule(tx)
  const day = chapterDay(logicalDay(rule, said), (await tx.first(selectLastChapter, { key: row.key }))?.day)
  const today = logicalDay(rule, now)
  const due = rule.hour === null || !hasDays(row.key) ? null : endOf(rule, today > day ? today : day)
  const begun = { ...row, chapter_day: day, chapter_due_at: due }
  await tx.write(openChapter, begun)
  return begun
}

/** Opens a chapter for imported messages. An open chapter without messages takes the imported day. */
export const beginImportedChapter = async (
  tx: Tx,
  row: ConversationRow,
  now: Instant,
  said: Instant,
): Promise<ConversationRow> => (row.chapter_day === null || row.chapter_messages === 0 ? beginChapter(tx, row, now, said) : row)

/**
 * Closes the chapter of an imported earlier day at once (CV7), so that new messages get their own. Agents get both until the
 * next boundary, so the summary and history stay.
 */
export async function closeImportedChapter(tx: Tx, row: ConversationRow, now: Instant): Promise<void> {
  const today = logicalDay(await cutoverRule(tx), now)
  if (row.chapter_due_at === null || row.chapter_day === null || row.chapter_day >= today) return
  const throughSeq = await storeClosedChapter(tx, row, row.chapter_day, now)
  await tx.write(openChapter, { ...row, chapter_day: today })
  await tx.write(restartChapter, { key: row.key, chapter_after: throughSeq })
}

/** Closes the conversation's chapter if it is due, and returns the conversation. */
export async function closeDueChapter(tx: Tx, row: ConversationRow, now: Instant, at = now): Promise<ConversationRow> {
  if (!isOver(row.chapter_due_at, at)) return row
  // DC9: an earlier version set an end for this chapter.
  if (!hasDays(row.key) || (await cutoverRule(tx)).hour === null) return removeChapterEnd(tx, row)
  return (await turnRunsIn(tx, row.key)) ? row : closeChapter(tx, row, now)
}

/** Closes a chapter that became due while a turn ran. */
export async function closeDueChapterOf(tx: Tx, key: string, now: Instant): Promise<void> {
  const row = await tx.first(selectConversation, { key })
  if (row) await closeDueChapter(tx, row, now)
}

/**
 * Closes a chapter in one commit (DC2): its messages leave the history that agents get. Message numbers, flags and unread marks
 * stay.
 */
async function closeChapter(tx: Tx, row: ConversationRow, now: Instant): Promise<ConversationRow> {
  const { key, chapter_day: day } = row
  if (day === null) throw new Error(`${key} has no open chapter`)
  const last = await tx.first(selectLastChapter, { key })
  // Imported messages already have a chapter of their own day.
  const isTold = row.chapter_messages === 0 && (row.summary === '' || row.summary === last?.summary)
  const throughSeq = isTold ? await lastSeq(tx, row) : await storeClosedChapter(tx, row, day, now)
  const generation = row.generation + 1
  const left = { summary_through: throughSeq, kept_after: throughSeq, chapter_after: throughSeq, generation }
  await tx.write(leaveChapter, { key, ...left })
  const empty = { summary: '', unsummarised_chars: 0, message_count: 0, chapter_messages: 0 }
  return { ...row, ...left, ...empty, chapter_day: null, chapter_due_at: null }
}

async function removeChapterEnd(tx: Tx, row: ConversationRow): Promise<ConversationRow> {
  const kept = { ...row, chapter_due_at: null }
  await tx.write(openChapter, kept)
  return kept
}

const lastSeq = async (reader: Reader, row: ConversationRow): Promise<number> =>
  (await reader.first(selectLastMessage, { key: row.key }))?.seq ?? row.chapter_after

/** Stores the open chapter as the day's closed one. Returns its last message number. */
async function storeClosedChapter(tx: Tx, row: ConversationRow, day: Day, now: Instant): Promise<number> {
  const { key } = row
  const throughSeq = await lastSeq(tx, row)
  const summary = row.summary === (await tx.first(selectLastChapter, { key }))?.summary ? '' : row.summary
  const said = { afterSeq: row.chapter_after, throughSeq, messageCount: row.chapter_messages, summary }
  const closed = mergeChapter(await closedBefore(tx, key, day), said)
  const chapter: ChapterRow = {
    conversation_key: key,
    day,
    after_seq: closed.afterSeq,
    through_seq: closed.throughSeq,
    message_count: closed.messageCount,
    summary: closed.summary,
    closed_at: now,
    note_seq: null,
    removed: 0,
  }
  await tx.write(putChapter, chapter)
  tx.append(conversationStream(key), { type: 'chapter-closed', data: { chapter: closedChapter(chapter) } })
  return throughSeq
}

async function closedBefore(reader: Reader, key: string, day: string) {
  const row = await reader.first(selectChapter, { key, day })
  return row && { afterSeq: row.after_seq, throughSeq: row.through_seq, messageCount: row.message_count, summary: row.summary }
}
