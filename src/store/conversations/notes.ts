/**
 * Queries about daily notes (DC3, DC4), their chapters and files. Written under the lock of the
 * note's stream.
 */

import { sql } from 'kysely'
import {
  boundaryOf,
  type CutoverRule,
  type Day,
  endOf,
  type NotedThread,
  type NoteSection,
  type NoteSummary,
  noteHead,
  noteSection,
  noteSummary,
  noteThreads,
} from '../../domain/conversations/chapter.ts'
import { inReadingOrder } from '../../domain/conversations/messages.ts'
import type { Instant } from '../../domain/instant.ts'
import { noteStream } from '../../domain/stream-name.ts'
import type { Note } from '../../protocol/conversations/chapter.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { selectPosition } from '../log/event-log.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader, Store } from '../store.ts'
import { cutoverRule, selectChapter } from './chapters.ts'
import { channelOfConversation } from './conversation-identity.ts'
import { messagesAfter, messagesBefore } from './messages.ts'
import { notedThreads } from './thread-days.ts'

export type NoteRow = Tables['notes']

/** Days with chapters that are not in their note yet, oldest first. */
export const selectDaysToNote = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select('day')
    .distinct()
    .where('note_seq', 'is', null)
    .orderBy('day')
    .limit(p.limit),
)

const fewOf =
  (day: Day, limit: number) => (db: Parameters<Parameters<ReturnType<typeof statement>>[0]>[0]) =>
    db
      .selectFrom('chapters')
      .select('conversation_key')
      .where('day', '=', day)
      .where('note_seq', 'is', null)
      .orderBy('conversation_key')
      .limit(limit)

export const selectNotNoted = statement<{ day: Day; limit: number }>()((db, p) =>
  fewOf(p.day, p.limit)(db),
)

interface Few {
  readonly day: Day
  readonly limit: number
}

export const deleteRemovedChapters = statement<Few>()((db, p) =>
  db
    .deleteFrom('chapters')
    .where('day', '=', p.day)
    .where('note_seq', 'is', null)
    .where('removed', '=', 1)
    .where('conversation_key', 'in', fewOf(p.day, p.limit)(db)),
)

export const numberChapters = statement<Few & { seq: number }>()((db, p) =>
  db
    .updateTable('chapters')
    .set({ note_seq: p.seq })
    .where('day', '=', p.day)
    .where('note_seq', 'is', null)
    .where('removed', '=', 0)
    .where('conversation_key', 'in', fewOf(p.day, p.limit)(db)),
)

const selectTotals = statement<{ day: Day }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select((eb) => [
      eb.fn.countAll<number>().as('conversations'),
      eb.fn.sum<number | null>('message_count').as('messages'),
    ])
    .where('day', '=', p.day)
    .where('removed', '=', 0),
)

export async function totalsOf(
  reader: Reader,
  day: Day,
): Promise<{ conversations: number; messages: number }> {
  const found = await reader.first(selectTotals, { day })
  return {
    conversations: Number(found?.conversations ?? 0),
    messages: Number(found?.messages ?? 0),
  }
}

export interface NotesPage {
  readonly from: Day
  readonly before: Day
  readonly limit: number
  /** How many events a file is behind: 0 for written ones, 1 for the others. */
  readonly leastBehind: number
  readonly mostBehind: number
}

const selectNotesBefore = statement<NotesPage>()((db, p) =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('day', '>=', p.from)
    .where('day', '<', p.before)
    .where('conversations', '>', 0)
    .where((eb) => eb.between(eb('seq', '-', eb.ref('written_seq')), p.leastBehind, p.mostBehind))
    .orderBy('day', 'desc')
    .limit(p.limit),
)

export const notesBefore = async (reader: Reader, page: NotesPage): Promise<Note[]> =>
  (await reader.all(selectNotesBefore, page)).map(noteOf)

export const noteOf = (row: NoteRow): Note => ({
  date: row.day,
  conversations: row.conversations,
  messages: row.messages,
  state: row.written_seq >= row.seq ? 'written' : 'pending',
  problem: row.problem,
  updatedAt: row.updated_at,
})

// The text of a day's note (DC3), piece by piece from the closed chapters of the day. Closed
// chapters do not change, so each is read separately.

/** The most messages of one conversation from each end of the day. */
const messagesAtEachEnd = 100
/** After this much text, conversations are listed without their messages. */
const maxTextChars = 8 * 1024 * 1024
const chaptersAtOnce = 500

interface NotedChapter {
  readonly key: string
  /** The beginning of it. */
  readonly summary: string
  readonly messages: number
}

/** The contents of a note at one moment. */
export interface NoteContents {
  readonly day: Day
  /** The event of the note's stream up to which this is valid. */
  readonly seq: number
  readonly chapters: readonly NotedChapter[]
  readonly threads: readonly NotedThread[]
  readonly rule: CutoverRule
  readonly work: Omit<NoteSummary, 'conversations'>
}

interface Within {
  readonly from: Instant
  readonly to: Instant
  readonly limit: number
}

/** One more than a note lists, so that it says that there are more. */
const maxWorkLines = 200

const selectTasksFinished = statement<Within>()((db, p) =>
  db
    .selectFrom('tasks')
    .select('title')
    .where('status', '=', 'completed')
    .where('completed_at', '>=', p.from)
    .where('completed_at', '<', p.to)
    .orderBy('completed_at')
    .limit(p.limit),
)

/** Tasks that were worked on and are not finished. */
const selectTasksLeft = statement<Within>()((db, p) =>
  db
    .selectFrom('tasks')
    .select('title')
    .where('status', 'in', ['in_progress', 'failed'])
    .where('updated_at', '>=', p.from)
    .where('updated_at', '<', p.to)
    .orderBy('updated_at')
    .limit(p.limit),
)

/**
 * Approvals that people decided; permissions for tools and what is asked in a console are left out.
 */
const selectDecided = statement<Within>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select(['checkpoint_type', 'status', 'feedback'])
    .where('tool_call', 'is', null)
    .where('user_session_id', 'is', null)
    .where('status', 'in', ['approved', 'rejected'])
    .where('resolved_at', '>=', p.from)
    .where('resolved_at', '<', p.to)
    .orderBy('resolved_at')
    .limit(p.limit),
)

async function workOf(reader: Reader, within: Within): Promise<NoteContents['work']> {
  const decided = await reader.all(selectDecided, within)
  return {
    done: (await reader.all(selectTasksFinished, within)).map(({ title }) => title),
    decided: decided.map(
      (each) =>
        `${each.checkpoint_type}: ${each.status}${each.feedback ? ` (${each.feedback})` : ''}`,
    ),
    left: (await reader.all(selectTasksLeft, within)).map(({ title }) => title),
  }
}

const selectChaptersOfDay = statement<{ day: Day; after: string; limit: number }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select([
      'conversation_key as key',
      'message_count as messages',
      sql<string>`substr(summary, 1, 2000)`.as('summary'),
    ])
    .where('day', '=', p.day)
    .where('removed', '=', 0)
    .where('conversation_key', '>', p.after)
    .orderBy('conversation_key')
    .limit(p.limit),
)

export async function noteContents(reader: Reader, day: Day): Promise<NoteContents> {
  const seq = (await reader.first(selectPosition, { name: noteStream(day) }))?.head ?? 0
  const chapters: NotedChapter[] = []
  for (let after = ''; ; ) {
    const page = await reader.all(selectChaptersOfDay, { day, after, limit: chaptersAtOnce })
    chapters.push(...page)
    const last = page.at(-1)
    if (!last || page.length < chaptersAtOnce) break
    after = last.key
  }
  const rule = await cutoverRule(reader)
  const within = { from: boundaryOf(rule, day), to: endOf(rule, day), limit: maxWorkLines }
  const threads = await notedThreads(reader, rule, day)
  return { day, seq, chapters, threads, rule, work: await workOf(reader, within) }
}

/** `timezone`: of the times, where it is not that of the days. */
export async function* noteText(
  store: Pick<Store, 'read'>,
  { day, chapters, threads, rule, work }: NoteContents,
  timezone = rule.timezone,
): AsyncGenerator<string> {
  const channels = [...new Set([...chapters, ...threads].map(channelOfConversation))].sort()
  const messages = chapters.reduce((sum, chapter) => sum + chapter.messages, 0)
  const conversations = chapters.length + threads.length
  yield noteHead({ day, channels, conversations, messages })
  yield noteSummary({
    conversations: chapters.filter(({ summary }) => summary.trim() !== ''),
    ...work,
  })
  yield noteThreads(threads)
  let chars = 0
  for (const { key } of chapters) {
    const withMessages = chars < maxTextChars
    const section = await store.read((reader) => sectionOf(reader, key, day, withMessages))
    if (!section) continue
    const text = noteSection(section, { ...rule, timezone })
    chars += text.length
    yield text
  }
}

async function sectionOf(
  reader: Reader,
  key: string,
  day: Day,
  withMessages: boolean,
): Promise<NoteSection | undefined> {
  const chapter = await reader.first(selectChapter, { key, day })
  if (!chapter) return undefined
  const { summary, message_count: messageCount, after_seq: after, through_seq: through } = chapter
  if (!withMessages) return { key, summary, messageCount, first: [], last: [] }
  const page = { key, hidden: false, originals: true, limit: messagesAtEachEnd }
  const first = (await messagesAfter(reader, { ...page, seq: after })).filter(
    ({ seq }) => seq <= through,
  )
  const behind = first.at(-1)?.seq ?? through
  const newest =
    first.length < messagesAtEachEnd
      ? []
      : (await messagesBefore(reader, { ...page, seq: through + 1 }))
          .filter(({ seq }) => seq > behind)
          .reverse()
  const senders = await sendersIn(reader, [...first, ...newest])
  const named = (messages: readonly Message[]) =>
    inReadingOrder(messages).map((each) => ({ ...each, sender: senders(each) }))
  return { key, summary, messageCount, first: named(first), last: named(newest) }
}

/** CV14: names who speaks in a role in which several do. */
async function sendersIn(
  reader: Reader,
  messages: readonly Message[],
): Promise<(message: Message) => string | undefined> {
  const several = new Set<string>()
  for (const [role, texts] of Map.groupBy(messages, ({ role }) => role))
    if (
      new Set(texts.map(({ senderId, senderName }) => `${senderId} ${senderName ?? ''}`)).size > 1
    )
      several.add(role)
  const names = new Map<string, string>()
  for (const id of new Set(
    messages.filter(({ role }) => several.has(role)).map(({ senderId }) => senderId),
  ))
    names.set(
      id,
      (await reader.row('people', { id }))?.name ??
        (await reader.row('agents', { id }))?.name ??
        id,
    )
  return ({ role, senderId, senderName }) =>
    several.has(role) ? (senderName ?? names.get(senderId)) : undefined
}

/** After every possible day. */
export const dayBeforeAll: Day = '9999-99-99'
