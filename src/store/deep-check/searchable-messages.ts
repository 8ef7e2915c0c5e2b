/**
 * Compares the search index with the messages: each visible message up to its conversation's index
 * position has a document with its terms, and each document has a message. Messages that are not
 * indexed yet are no finding.
 */
import { sql } from 'kysely'
import { indexTerms } from '../../domain/conversations/search/terms.ts'
import { hasTerms } from '../conversations/search.ts'
import { pagesOf } from '../copy-tables.ts'
import type { Tables } from '../schema/tables.ts'
import type { Reader } from '../store.ts'
import type { Finding } from './deep-check.ts'

/** One more than the most findings reported by one check. */
const limit = 101
/** The most terms checked for one message: a damaged index has usually lost more than these. */
const maxTermsLookedFor = 8

export async function* searchableMessages(reader: Reader): AsyncGenerator<Finding> {
  yield* documentsOfNothing(reader)
  for await (const page of pagesOf(reader, 'messages')) {
    const documents = await documentsOf(reader, page)
    for (const message of page) {
      const document = documents.get(positionOf(message))
      if (!document) continue
      if (document.id === null) yield found(message, 'is indexed; search has no document of it')
      else if (!(await hasTerms(reader, document.id, someTerms(message.content))))
        yield found(message, 'has words that search does not know')
    }
  }
}

const positionOf = ({
  conversation_key,
  seq,
}: Pick<Tables['messages'], 'conversation_key' | 'seq'>): string => `${conversation_key} ${seq}`

const someTerms = (content: string): string[] =>
  [...indexTerms(content)].slice(0, maxTermsLookedFor)

const found = (message: Tables['messages'], what: string): Finding => ({
  check: 'search',
  where: `messages ${positionOf(message)}`,
  what,
})

/** Reads the documents of a page of messages, by position. */
async function documentsOf(reader: Reader, page: readonly Tables['messages'][]) {
  const [first, last] = [page[0], page.at(-1)]
  if (!first || !last) return new Map<string, { id: number | null }>()
  const rows = await reader.query((db) =>
    db
      .selectFrom('messages')
      .innerJoin(
        'search_positions',
        'search_positions.conversation_key',
        'messages.conversation_key',
      )
      .leftJoin('search_documents', (join) =>
        join
          .onRef('search_documents.conversation_key', '=', 'messages.conversation_key')
          .onRef('search_documents.seq', '=', 'messages.seq'),
      )
      .select(['messages.conversation_key', 'messages.seq', 'search_documents.id'])
      .where(
        sql<boolean>`(messages.conversation_key, messages.seq) >= (${first.conversation_key}, ${first.seq})`,
      )
      .where(
        sql<boolean>`(messages.conversation_key, messages.seq) <= (${last.conversation_key}, ${last.seq})`,
      )
      .where('messages.visible', '=', 1)
      .whereRef('messages.seq', '<=', 'search_positions.through'),
  )
  return new Map(rows.map((row) => [positionOf(row), { id: row.id }]))
}

async function* documentsOfNothing(reader: Reader): AsyncGenerator<Finding> {
  const wrong = await reader.query((db) =>
    db
      .selectFrom('search_documents')
      .leftJoin('messages', (join) =>
        join
          .onRef('messages.conversation_key', '=', 'search_documents.conversation_key')
          .onRef('messages.seq', '=', 'search_documents.seq'),
      )
      .select(['search_documents.conversation_key', 'search_documents.seq'])
      .where('messages.seq', 'is', null)
      .limit(limit),
  )
  for (const row of wrong)
    yield {
      check: 'search',
      where: `search_documents ${positionOf(row)}`,
      what: 'stands for a message that is not there',
    }
}
