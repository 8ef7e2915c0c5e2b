/**
 * The search index: a document for each message that can be found, its terms, and the index
 * position of each conversation. Written under the lock of the conversation's stream. Results
 * include their messages, for comparison.
 */
import { type AliasedExpression, type Kysely, sql } from 'kysely'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader, Tx } from '../store.ts'

/** The most documents of one millisecond; more go to the next. */
const idsPerMs = 1024

export const firstIdAt = (ms: number): number => ms * idsPerMs
/** After every possible document. */
export const afterAllIds = Number.MAX_SAFE_INTEGER

const selectLastId = statement<{ from: number; before: number }>()((db, p) =>
  db
    .selectFrom('search_documents')
    .select(sql<number | null>`max(id)`.as('id'))
    .where('id', '>=', p.from)
    .where('id', '<', p.before),
)

/**
 * The next free id at a time, or the first free one for older messages; `nextIds`: ids given out by
 * the same use case.
 */
export async function nextId(tx: Tx, at: number, nextIds: Map<number, number>): Promise<number> {
  for (let ms = Math.max(0, at); ; ms++) {
    const from = firstIdAt(ms)
    const before = firstIdAt(ms + 1)
    const free =
      nextIds.get(ms) ?? ((await tx.first(selectLastId, { from, before }))?.id ?? from - 1) + 1
    nextIds.set(ms, free + 1)
    if (free < before) return free
    nextIds.set(ms, before)
  }
}

export const insertTerms = statement<Tables['search_terms']>()((db, p, { search }) =>
  db.insertInto('search_terms').values({ rowid: p.rowid, terms: search.terms(p.terms) }),
)

export const selectSearchPosition = statement<{ key: string }>()((db, p) =>
  db.selectFrom('search_positions').select('through').where('conversation_key', '=', p.key),
)

export const setSearchPosition = statement<{ key: string; through: number }>()((db, p) =>
  db
    .insertInto('search_positions')
    .values({ conversation_key: p.key, through: p.through })
    .onConflict((conflict) =>
      conflict.column('conversation_key').doUpdateSet({ through: p.through }),
    ),
)

export const selectUnindexedMessages = statement<{ key: string; after: number; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('messages')
      .select(['seq', 'content', 'visible', 'project_id', 'created_at'])
      .where('conversation_key', '=', p.key)
      .where('seq', '>', p.after)
      .orderBy('seq')
      .limit(p.limit),
)

const deleteTermsOf = statement<{ key: string }>()((db, p) =>
  db
    .deleteFrom('search_terms')
    .where('rowid', 'in', (eb) =>
      eb.selectFrom('search_documents').select('id').where('conversation_key', '=', p.key),
    ),
)

export async function forgetConversation(tx: Tx, key: string): Promise<void> {
  await tx.write(deleteTermsOf, { key })
  await tx.delete('search_documents', { conversation_key: key })
  await tx.delete('search_positions', { conversation_key: key })
}

const isBehind =
  sql<number>`case when streams.head > coalesce(search_positions.through, 0) then 1 else 0 end`.as(
    'behind',
  )

type Keys = (db: Kysely<Tables>) => AliasedExpression<{ key: string }, 'looked_at'>

/** Each conversation, and whether it has events that are not indexed. */
const withBehind = (db: Kysely<Tables>, keys: Keys) =>
  db
    .selectFrom(keys(db))
    .innerJoin('streams', (join) =>
      join.on(sql`streams.name`, '=', sql`'conversation:' || looked_at.key`),
    )
    .leftJoin('search_positions', 'search_positions.conversation_key', 'looked_at.key')
    .select(['looked_at.key', isBehind])

export const selectBehindAfter = statement<{ key: string; limit: number }>()((db, p) =>
  withBehind(db, () =>
    db
      .selectFrom('conversations')
      .select('key')
      .where('key', '>', p.key)
      .orderBy('key')
      .limit(p.limit)
      .as('looked_at'),
  ).orderBy('looked_at.key'),
)

/** The same for the most recently changed ones. */
export const selectBehindAmongNewest = statement<{ limit: number }>()((db, p) =>
  withBehind(db, () =>
    db
      .selectFrom('conversations')
      .select('key')
      .orderBy('updated_at', 'desc')
      .limit(p.limit)
      .as('looked_at'),
  ),
)

export interface SearchRange {
  readonly from: number
  readonly before: number
  readonly limit: number
}

const found = [
  'search_documents.id',
  'messages.conversation_key',
  'messages.seq',
  'messages.id as message_id',
  'messages.role',
  'messages.sender_id',
  'messages.sender_name',
  'messages.project_id',
  'messages.content',
  'messages.created_at',
] as const

const selectByTerms = statement<SearchRange & { wanted: string }>()((db, p, { search }) =>
  db
    .selectFrom('search_terms')
    .innerJoin('search_documents', 'search_documents.id', 'search_terms.rowid')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.conversation_key', '=', 'search_documents.conversation_key')
        .onRef('messages.seq', '=', 'search_documents.seq'),
    )
    .select(found)
    .where(search.hasAll(p.wanted))
    .where('search_terms.rowid', '>=', p.from)
    .where('search_terms.rowid', '<', p.before)
    .where('rewound_by', 'is', null)
    .orderBy('search_terms.rowid', 'desc')
    .limit(p.limit),
)

const selectAnyFound = statement<SearchRange>()((db, p) =>
  db
    .selectFrom('search_documents')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.conversation_key', '=', 'search_documents.conversation_key')
        .onRef('messages.seq', '=', 'search_documents.seq'),
    )
    .select(found)
    .where('search_documents.id', '>=', p.from)
    .where('search_documents.id', '<', p.before)
    .where('rewound_by', 'is', null)
    .orderBy('search_documents.id', 'desc')
    .limit(p.limit),
)

/** Messages with all the terms, newest first; all messages without terms. */
export const messagesWith = (reader: Reader, terms: readonly string[], range: SearchRange) =>
  terms.length > 0
    ? reader.all(selectByTerms, { ...range, wanted: terms.join(' ') })
    : reader.all(selectAnyFound, { from: range.from, before: range.before, limit: range.limit })

export type FoundMessage = Awaited<ReturnType<typeof messagesWith>>[number]

const selectWithTerms = statement<{ id: number; wanted: string }>()((db, p, { search }) =>
  db
    .selectFrom('search_terms')
    .select('rowid')
    .where('rowid', '=', p.id)
    .where(search.hasAll(p.wanted)),
)

/** Whether the document has all terms, for the deep check. */
export const hasTerms = async (
  reader: Reader,
  id: number,
  terms: readonly string[],
): Promise<boolean> =>
  terms.length === 0 ||
  (await reader.first(selectWithTerms, { id, wanted: terms.join(' ') })) !== undefined

export interface TitleSearch {
  /** Pattern for `like`, in small letters, with `\\` before its signs. */
  readonly pattern: string
  readonly projectId: string
  readonly inAny: number
  readonly limit: number
}

/** Conversations by their title, or by what they began with; the last changed first. */
export const selectConversationsLike = statement<TitleSearch>()((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('conversations')
        .select((of) => [
          'key',
          'kind',
          'project_id',
          'account_id',
          'updated_at',
          of.fn
            .coalesce(
              'title',
              of
                .selectFrom('messages')
                .select(sql<string>`substr(content, 1, 200)`.as('beginning'))
                .whereRef('conversation_key', '=', 'conversations.key')
                .where('visible', '=', 1)
                .where('rewound_by', 'is', null)
                .where('role', '=', 'user')
                .orderBy('seq')
                .limit(1),
            )
            .as('title'),
        ])
        .as('named'),
    )
    .selectAll()
    .where(sql<boolean>`lower(title) like ${p.pattern} escape '\\'`)
    .where((eb) => eb.or([eb('project_id', '=', p.projectId), eb(eb.val(p.inAny), '=', 1)]))
    .orderBy('updated_at', 'desc')
    .limit(p.limit),
)

export const selectTasksLike = statement<TitleSearch>()((db, p) =>
  db
    .selectFrom('tasks')
    .select(['id', 'project_id', 'title', 'status'])
    .where(sql<boolean>`lower(title || ' ' || id) like ${p.pattern} escape '\\'`)
    .where((eb) => eb.or([eb('project_id', '=', p.projectId), eb(eb.val(p.inAny), '=', 1)]))
    .orderBy('updated_at', 'desc')
    .limit(p.limit),
)

/** Chapters that are in a note, by their summary. */
export const selectSummariesLike = statement<TitleSearch>()((db, p) =>
  db
    .selectFrom('chapters')
    .innerJoin('conversations', 'conversations.key', 'chapters.conversation_key')
    .select([
      'chapters.day',
      'chapters.summary',
      'conversations.key',
      'conversations.kind',
      'conversations.project_id',
      'conversations.account_id',
    ])
    .where('chapters.removed', '=', 0)
    .where(sql<boolean>`lower(chapters.summary) like ${p.pattern} escape '\\'`)
    .where((eb) =>
      eb.or([eb('conversations.project_id', '=', p.projectId), eb(eb.val(p.inAny), '=', 1)]),
    )
    .orderBy('chapters.day', 'desc')
    .limit(p.limit),
)
