/**
 * Finds and creates conversations and appends messages, at the same cost at any length (CV5).
 * Callers check who may write.
 */

import {
  chapterDay,
  type Day,
  endOf,
  isOver,
  logicalDay,
  mergeChapter,
} from '../../domain/conversations/chapter.ts'
import { channelOf, hasDays, isReserved, refusalOfKey } from '../../domain/conversations/key.ts'
import { lengthOf } from '../../domain/conversations/messages.ts'
import { Refusal } from '../../domain/errors.ts'
import { messageId } from '../../domain/ids.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, type StreamName } from '../../domain/stream-name.ts'
import type { FileThread } from '../../protocol/conversations/conversation-file.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import {
  type ChapterRow,
  closedChapter,
  cutoverRule,
  leaveChapter,
  restartChapter,
  selectChapter,
  selectLastChapter,
  turnRunsIn,
} from '../../store/conversations/chapters.ts'
import { identityToBegin } from '../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { beginOfAnswer, messageRow, selectLastMessage } from '../../store/conversations/messages.ts'
import { newRow } from '../../store/rows.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { noSuchConversation } from '../refusals.ts'
import { addConversation, withoutDraft } from './add-conversation.ts'
import { initialWorkplace } from './conversation-workplace.ts'

// Opens and closes chapters inside use cases (DC2). The first message opens a chapter. A chapter
// whose day is over is closed in the same commit, before anything else, unless a turn runs in it
// (DC6).

/**
 * Opens a chapter for messages written at `said`: imported ones belong to their day (CV7), and are
 * given until the next.
 */
export async function beginChapter(
  tx: Tx,
  row: ConversationRow,
  now: Instant,
  writtenAt = now,
): Promise<ConversationRow> {
  const rule = await cutoverRule(tx)
  const day = chapterDay(
    logicalDay(rule, writtenAt),
    (await tx.first(selectLastChapter, { key: row.key }))?.day,
  )
  const today = logicalDay(rule, now)
  const due =
    rule.hour === null || !hasDays(row.kind) ? null : endOf(rule, today > day ? today : day)
  const begun = { chapter_day: day, chapter_due_at: due }
  await tx.update('conversations', { key: row.key, ...begun })
  return { ...row, ...begun }
}

/**
 * Opens a chapter for imported messages. An open chapter without messages takes the imported day.
 */
export const beginImportedChapter = async (
  tx: Tx,
  row: ConversationRow,
  now: Instant,
  writtenAt: Instant,
): Promise<ConversationRow> =>
  row.chapter_day === null || row.chapter_messages === 0
    ? beginChapter(tx, row, now, writtenAt)
    : row

/**
 * Closes the chapter of an imported earlier day at once (CV7). Agents get both until the next
 * boundary.
 */
export async function closeImportedChapter(
  tx: Tx,
  row: ConversationRow,
  now: Instant,
): Promise<void> {
  const today = logicalDay(await cutoverRule(tx), now)
  if (row.chapter_due_at === null || row.chapter_day === null || row.chapter_day >= today) return
  const throughSeq = await storeClosedChapter(tx, row, row.chapter_day, now)
  await tx.update('conversations', { key: row.key, chapter_day: today })
  await tx.write(restartChapter, { key: row.key, chapter_after: throughSeq })
}

/** Closes the conversation's chapter if it is due, and returns the conversation. */
export async function closeDueChapter(
  tx: Tx,
  row: ConversationRow,
  now: Instant,
  at = now,
): Promise<ConversationRow> {
  if (!isOver(row.chapter_due_at, at)) return row
  // DC9: an earlier version set an end for this chapter.
  if (!hasDays(row.kind) || (await cutoverRule(tx)).hour === null) return removeChapterEnd(tx, row)
  return (await turnRunsIn(tx, row.key)) ? row : closeChapter(tx, row, now)
}

/** Closes a chapter that became due while a turn ran. */
export async function closeDueChapterOf(tx: Tx, key: string, now: Instant): Promise<void> {
  const row = await tx.row('conversations', { key })
  if (row) await closeDueChapter(tx, row, now)
}

/**
 * Closes a chapter in one commit (DC2): agents no longer get its messages. Numbers, flags and
 * unread marks stay.
 */
async function closeChapter(tx: Tx, row: ConversationRow, now: Instant): Promise<ConversationRow> {
  const { key, chapter_day: day } = row
  if (day === null) throw new Error(`${key} has no open chapter`)
  const last = await tx.first(selectLastChapter, { key })
  // Imported messages already have a chapter of their own day.
  const isNoted =
    row.chapter_messages === 0 && (row.summary === '' || row.summary === last?.summary)
  const throughSeq = isNoted ? await lastSeq(tx, row) : await storeClosedChapter(tx, row, day, now)
  const generation = row.generation + 1
  const left = {
    summary_through: throughSeq,
    kept_after: throughSeq,
    chapter_after: throughSeq,
    generation,
  }
  await tx.write(leaveChapter, { key, ...left })
  const empty = {
    summary: '',
    summary_by: null,
    unsummarised_chars: 0,
    message_count: 0,
    chapter_messages: 0,
  }
  return { ...row, ...left, ...empty, chapter_day: null, chapter_due_at: null }
}

async function removeChapterEnd(tx: Tx, row: ConversationRow): Promise<ConversationRow> {
  await tx.update('conversations', { key: row.key, chapter_due_at: null })
  return { ...row, chapter_due_at: null }
}

const lastSeq = async (reader: Reader, row: ConversationRow): Promise<number> =>
  (await reader.first(selectLastMessage, { key: row.key }))?.seq ?? row.chapter_after

/** Stores the open chapter as the day's closed one. Returns its last message number. */
async function storeClosedChapter(
  tx: Tx,
  row: ConversationRow,
  day: Day,
  now: Instant,
): Promise<number> {
  const { key } = row
  const throughSeq = await lastSeq(tx, row)
  const summary =
    row.summary === (await tx.first(selectLastChapter, { key }))?.summary ? '' : row.summary
  const ended = {
    afterSeq: row.chapter_after,
    throughSeq,
    messageCount: row.chapter_messages,
    summary,
  }
  const before = await closedBefore(tx, key, day)
  const closed = mergeChapter(before, ended)
  const chapter: ChapterRow = {
    conversation_key: key,
    day,
    after_seq: closed.afterSeq,
    through_seq: closed.throughSeq,
    message_count: closed.messageCount,
    summary: closed.summary,
    summary_by: (summary !== '' ? row.summary_by : null) ?? before?.summaryBy ?? null,
    closed_at: now,
    note_seq: null,
    removed: 0,
  }
  await tx.put('chapters', chapter)
  tx.append(conversationStream(key), {
    type: 'chapter-closed',
    data: { chapter: closedChapter(chapter) },
  })
  return throughSeq
}

async function closedBefore(reader: Reader, key: string, day: string) {
  const row = await reader.first(selectChapter, { key, day })
  if (!row) return undefined
  const { after_seq, through_seq, message_count, summary, summary_by } = row
  return {
    afterSeq: after_seq,
    throughSeq: through_seq,
    messageCount: message_count,
    summary,
    summaryBy: summary_by,
  }
}

/** The stream of a caller's key. Refuses a key that cannot name a file (CV6). */
export function streamOfKey(key: string): StreamName {
  const refused = refusalOfKey(key)
  if (refused) throw new Refusal(refused.code, refused.detail)
  return conversationStream(key)
}

/** Refuses to create a conversation under a reserved key for an outside caller (CV11). */
export async function requireCreatable(reader: Reader, key: string): Promise<void> {
  if (!isReserved(key) || (await reader.row('conversations', { key }))) return
  throw new Refusal('invalid_key', refusalText('keyReserved', { channel: channelOf(key) }))
}

export async function existingConversation(reader: Reader, key: string): Promise<ConversationRow> {
  const row = await reader.row('conversations', { key })
  if (!row) throw noSuchConversation(key)
  return row
}

/** Finds a conversation for a change, after closing a due chapter (DC2). */
export const currentConversation = async (
  tx: Tx,
  key: string,
  now: Instant,
): Promise<ConversationRow> => closeDueChapter(tx, await existingConversation(tx, key), now)

type GivenField =
  | 'kind'
  | 'lane'
  | 'summary'
  | 'summary_by'
  | 'flags'
  | 'extra'
  | 'created_at'
  | 'updated_at'
  | 'project_id'
  | 'agent_id'
  | 'account_id'
  | keyof FileThread

/** Finds or creates a conversation. `given` applies to a new one only. */
export async function openConversation(
  tx: Tx,
  key: string,
  now: Instant,
  given: Partial<Pick<ConversationRow, GivenField>> = {},
): Promise<{ row: ConversationRow; created: boolean }> {
  const found = await tx.row('conversations', { key })
  if (found) return { row: await closeDueChapter(tx, found, now), created: false }
  const about = { key, created_at: now, updated_at: now, last_turn_at: now }
  const begun = newRow('conversations', { ...about, ...identityToBegin(key), ...given })
  const { workplace = await initialWorkplace(tx, begun) } = given
  const row = { ...begun, workplace }
  await addConversation(tx, row)
  return { row, created: true }
}

/**
 * Finds or creates the conversation of a turn for what ends it (DC6). A chapter that became due
 * while the turn ran is still the turn's and stays open; the caller closes it afterwards.
 */
export async function conversationOfTurn(
  tx: Tx,
  key: string,
  now: Instant,
  given: Partial<Pick<ConversationRow, GivenField>> = {},
): Promise<ConversationRow> {
  return (
    (await tx.row('conversations', { key })) ?? (await openConversation(tx, key, now, given)).row
  )
}

/**
 * A message to store. By default it is visible, of normal priority, and of the conversation's
 * project.
 */
export type NewMessage = Pick<Message, 'senderId' | 'receiverId' | 'role' | 'content'> & {
  readonly [Name in OptionalField]?: Message[Name] | undefined
} & {
  /** Between agents: the conversation of the asking context. */
  readonly originKey?: string | undefined
  readonly senderName?: string | undefined
}
type OptionalField =
  | 'notice'
  | 'visible'
  | 'priority'
  | 'projectId'
  | 'clientId'
  | 'relatedTaskId'
  | 'relatedHandoffId'
  | 'toolCalls'
  | 'toolCallId'
  | 'media'
  | 'extra'
  | 'copyOf'

interface WrittenMessage {
  readonly message: Message
  /** The conversation with the message counted, not written yet. */
  readonly counted: ConversationRow
}

/**
 * Stores a message and its event. The caller writes the counted conversation once for all messages.
 */
export async function writeMessage(
  tx: Tx,
  before: ConversationRow,
  given: NewMessage,
  { now, random }: Context,
  also: readonly StreamName[] = [],
): Promise<WrittenMessage> {
  const begun = await withoutDraft(tx, before)
  const row = begun.chapter_day === null ? await beginChapter(tx, begun, now) : begun
  const unnumbered: Omit<Message, 'seq'> = {
    id: messageId(random.uuid()),
    conversationKey: row.key,
    projectId: given.projectId ?? row.project_id,
    senderId: given.senderId,
    receiverId: given.receiverId,
    role: given.role,
    content: given.content,
    visible: given.visible ?? true,
    priority: given.priority ?? 'normal',
    clientId: given.clientId ?? null,
    relatedTaskId: given.relatedTaskId ?? null,
    relatedHandoffId: given.relatedHandoffId ?? null,
    toolCalls: given.toolCalls ?? null,
    toolCallId: given.toolCallId ?? null,
    media: given.media ?? null,
    extra: given.extra ?? null,
    copyOf: given.copyOf ?? null,
    createdAt: now,
  }
  const { senderName, notice } = given
  const begunAt = await beginOfAnswer(tx, unnumbered)
  const named = {
    ...unnumbered,
    ...(senderName !== undefined && { senderName }),
    ...(notice && { notice }),
    ...(begunAt && { begunAt }),
  }
  const numbered = (seq: number): Message => ({ ...named, seq })
  const event = (seq: number) =>
    ({ type: 'message-added', data: { message: numbered(seq) } }) as const
  const message = numbered(tx.append(conversationStream(row.key), event, also))
  await tx.insert('messages', {
    ...messageRow(message),
    origin_key: given.originKey ?? null,
    sender_name: given.senderName ?? null,
    rewound_by: null,
  })
  const counts = message.visible
    ? { chars: lengthOf(message.content), messages: 1 }
    : { chars: 0, messages: 0 }
  return {
    message,
    counted: {
      ...row,
      unsummarised_chars: row.unsummarised_chars + counts.chars,
      message_count: row.message_count + counts.messages,
      last_seq: message.visible ? message.seq : row.last_seq,
      last_turn_at: message.visible && message.role === 'user' ? now : row.last_turn_at,
      chapter_messages: row.chapter_messages + (message.copyOf === null ? counts.messages : 0),
      updated_at: now,
    },
  }
}

export async function changeConversation(
  tx: Tx,
  row: ConversationRow,
  change: Partial<ConversationRow>,
  now: Instant,
) {
  const changed = { ...row, ...change, updated_at: now }
  await tx.update('conversations', changed)
  return changed
}
