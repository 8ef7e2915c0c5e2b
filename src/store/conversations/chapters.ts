/**
 * Queries about chapters of conversations (DC2). Written under the lock of the conversation's
 * stream.
 */
import { sql } from 'kysely'
import { type CutoverRule, type Day, usualRule } from '../../domain/conversations/chapter.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Chapter } from '../../protocol/conversations/chapter.ts'
import { fields } from '../fields.ts'
import { selectMeta, setMeta } from '../meta.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader, Tx } from '../store.ts'
import { selectRunningIn } from '../turns/turns.ts'
import type { ConversationRow } from './conversations.ts'

export type ChapterRow = Tables['chapters']

/** DC6: whether an agent has unanswered messages or a running turn. */
export const turnRunsIn = async (reader: Reader, key: string): Promise<boolean> =>
  (await reader.first(selectRunningIn, { key })) !== undefined

/** DC1 `off`. */
export const keepChaptersOpen = statement<Record<never, never>>()((db) =>
  db
    .updateTable('conversations')
    .set({ chapter_due_at: null })
    .where('chapter_due_at', 'is not', null),
)

/** Gives open chapters an end. Conversations without days lose it at the next check (DC9). */
export const endChapters = statement<{ dueAt: Instant }>()((db, p) =>
  db
    .updateTable('conversations')
    .set({ chapter_due_at: p.dueAt })
    .where('chapter_day', 'is not', null)
    .where('chapter_due_at', 'is', null),
)

/** Restarts the open chapter without messages that were moved elsewhere. */
export const restartChapter = statement<{ key: string; chapter_after: number }>()((db, p) =>
  db
    .updateTable('conversations')
    .set({ chapter_after: p.chapter_after, chapter_messages: 0 })
    .where('key', '=', p.key),
)

type ClosedConversation = Pick<
  ConversationRow,
  'key' | 'summary_through' | 'kept_after' | 'chapter_after' | 'generation'
>

/** Removes the closed chapter from the conversation. Its time of change stays. */
export const leaveChapter = statement<ClosedConversation>()((db, p) =>
  db
    .updateTable('conversations')
    .set({
      summary: '',
      summary_by: null,
      summary_through: p.summary_through,
      kept_after: p.kept_after,
      unsummarised_chars: 0,
      message_count: 0,
      chapter_day: null,
      chapter_due_at: null,
      chapter_after: p.chapter_after,
      chapter_messages: 0,
      generation: p.generation,
    })
    .where('key', '=', p.key),
)

export const selectChapter = statement<{ key: string; day: Day }>()((db, p) =>
  db
    .selectFrom('chapters')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('day', '=', p.day)
    .where('removed', '=', 0),
)

/** The newest closed day, with its summary. */
export const selectLastChapter = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select(['day', 'summary', 'summary_by', 'closed_at'])
    .where('conversation_key', '=', p.key)
    .where('removed', '=', 0)
    .orderBy('day', 'desc')
    .limit(1),
)

/** Marks chapters as removed; the rows stay until the notes are updated (DC4). */
export const removeChaptersOf = statement<{ key: string }>()((db, p) =>
  db
    .updateTable('chapters')
    .set({ removed: 1, note_seq: null, summary: '', message_count: 0 })
    .where('conversation_key', '=', p.key),
)

const selectDue = statement<{ now: Instant; dueAt: Instant; key: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('conversations')
      .select(['key', 'chapter_due_at as dueAt'])
      .where('chapter_due_at', 'is not', null)
      .where('chapter_due_at', '<=', p.now)
      .where((eb) => eb(eb.refTuple('chapter_due_at', 'key'), '>', eb.tuple(p.dueAt, p.key)))
      .orderBy('chapter_due_at')
      .orderBy('key')
      .limit(p.limit),
)

export interface DueChapter {
  readonly key: string
  readonly dueAt: Instant
}

export const beforeAllDue: DueChapter = { key: '', dueAt: '' }

/** The longest due first, after the last one seen. */
export async function dueChapters(
  reader: Reader,
  now: Instant,
  after: DueChapter,
  limit: number,
): Promise<DueChapter[]> {
  const rows = await reader.all(selectDue, { now, ...after, limit })
  return rows.map(({ key, dueAt }) => ({ key, dueAt: dueAt ?? '' }))
}

const selectDayOf = statement<{ key: string; seq: number }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select('day')
    .where('conversation_key', '=', p.key)
    .where('after_seq', '<', p.seq)
    .where('through_seq', '>=', p.seq)
    .where('removed', '=', 0)
    .union(
      db
        .selectFrom('conversations')
        .select(sql<Day>`chapter_day`.as('day'))
        .where('key', '=', p.key)
        .where('chapter_after', '<', p.seq)
        .where('chapter_day', 'is not', null),
    )
    .limit(1),
)

/** The day of the chapter, closed or open, with this message; undefined when there is none. */
export const dayOfMessage = async (
  reader: Reader,
  { conversation_key: key, seq }: { conversation_key: string; seq: number },
) => (await reader.first(selectDayOf, { key, seq }))?.day

const selectChaptersPage = statement<{ key: string; before: Day; limit: number }>()((db, p) =>
  db
    .selectFrom('chapters')
    .leftJoin('notes', 'notes.day', 'chapters.day')
    .selectAll('chapters')
    .select('notes.written_seq')
    .where('chapters.conversation_key', '=', p.key)
    .where('chapters.day', '<', p.before)
    .where('chapters.removed', '=', 0)
    .orderBy('chapters.day', 'desc')
    .limit(p.limit),
)

/** Closed ones, the newest first. */
export const chaptersBefore = async (
  reader: Reader,
  page: { key: string; before: Day; limit: number },
): Promise<Chapter[]> =>
  (await reader.all(selectChaptersPage, page)).map((row) => ({
    ...closedChapter(row),
    note: row.note_seq !== null && (row.written_seq ?? 0) >= row.note_seq ? 'written' : 'pending',
  }))

export const closedChapter = (row: ChapterRow): Chapter => ({
  ...fields(
    row,
    'conversation_key',
    'day',
    'after_seq',
    'through_seq',
    'message_count',
    'summary',
    'closed_at',
  ),
  state: 'closed',
  note: 'pending',
})

/** The open chapter; undefined while it has no messages. */
export const openChapterOf = (row: ConversationRow): Chapter | undefined =>
  row.chapter_day === null
    ? undefined
    : {
        conversationKey: row.key,
        day: row.chapter_day,
        state: 'open',
        afterSeq: row.chapter_after,
        throughSeq: null,
        messageCount: row.chapter_messages,
        summary: row.summary,
        closedAt: null,
        note: null,
      }

// The cutover rule (DC1), stored so that all writers use the same.

/** The source of the rule: the default, a person at run time, or the configuration, which wins. */
export type RuleSource = 'usual' | 'chosen' | 'configuration'

export interface KeptRule extends CutoverRule {
  readonly source: RuleSource
  /** Whether the rule was ever stored. */
  readonly isKept: boolean
}

export async function cutoverRule(reader: Reader): Promise<KeptRule> {
  const stored = await reader.first(selectMeta, { key: 'cutover' })
  if (!stored) return { ...usualRule, source: 'usual', isKept: false }
  // Earlier builds took it only from the configuration.
  return { source: 'configuration', ...(JSON.parse(stored.value) as CutoverRule), isKept: true }
}

export const setRule = async (
  tx: Tx,
  { hour, timezone }: CutoverRule,
  source: RuleSource,
): Promise<void> =>
  tx.write(setMeta, { key: 'cutover', value: JSON.stringify({ hour, timezone, source }) })
