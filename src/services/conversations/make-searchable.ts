/**
 * Adds messages to the search index (DC5), after their appends and in batches. The indexed position
 * is stored in the same commit, so a crash neither repeats nor skips a message. Hidden messages are
 * not indexed.
 */
import { facetTerm, indexTerms } from '../../domain/conversations/search/terms.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import { channelOfConversation } from '../../store/conversations/conversation-identity.ts'
import type { MessageRow } from '../../store/conversations/messages.ts'
import {
  insertTerms,
  nextId,
  selectBehindAfter,
  selectBehindAmongNewest,
  selectSearchPosition,
  selectUnindexedMessages,
  setSearchPosition,
} from '../../store/conversations/search.ts'
import { selectPosition } from '../../store/log/event-log.ts'
import { defineQuery, defineUseCase, type Tx } from '../../store/store.ts'

/** Limits of one commit, so that writers wait a few milliseconds at most. */
export const maxConversationsAtOnce = 32
const maxMessages = 32
const maxChars = 10_000

interface Budget {
  messages: number
  chars: number
}

export const makeSearchable = defineUseCase('make-searchable', {
  scope: 'server',
  on: 'nobody',
  streams: ({ keys }: { readonly keys: readonly string[] }) => keys.map(conversationStream),
  /** Returns the conversations that have more. */
  run: async (tx, { keys }): Promise<{ unfinished: string[]; indexed: number }> => {
    const budget = { messages: maxMessages, chars: maxChars }
    const ids = new Map<number, number>()
    const unfinished: string[] = []
    for (const key of keys)
      if (!(await indexConversation(tx, key, budget, ids))) unfinished.push(key)
    return { unfinished, indexed: maxMessages - budget.messages }
  },
})

/** Returns true when the conversation is fully indexed. */
async function indexConversation(
  tx: Tx,
  key: string,
  budget: Budget,
  ids: Map<number, number>,
): Promise<boolean> {
  if (budget.messages <= 0 || budget.chars <= 0) return false
  if (!(await tx.row('conversations', { key }))) return true
  const before = (await tx.first(selectSearchPosition, { key }))?.through ?? 0
  const head = (await tx.first(selectPosition, { name: conversationStream(key) }))?.head ?? 0
  if (head <= before) return true
  const limit = budget.messages
  const rows = await tx.all(selectUnindexedMessages, { key, after: before, limit })
  let through = before
  let done = 0
  for (const row of rows) {
    if (budget.chars <= 0) break
    await indexOne(tx, key, row, ids)
    budget.messages--
    budget.chars -= row.content.length
    through = row.seq
    done++
  }
  const finished = done === rows.length && rows.length < limit
  await tx.write(setSearchPosition, { key, through: finished ? head : through })
  return finished
}

type UnindexedMessage = Pick<
  MessageRow,
  'seq' | 'content' | 'visible' | 'project_id' | 'created_at'
>

async function indexOne(
  tx: Tx,
  key: string,
  message: UnindexedMessage,
  ids: Map<number, number>,
): Promise<void> {
  if (message.visible === 0) return
  const terms = indexTerms(message.content)
  terms.add(facetTerm('conversation', key))
  terms.add(facetTerm('channel', channelOfConversation({ key })))
  if (message.project_id !== null) terms.add(facetTerm('project', message.project_id))
  const id = await nextId(tx, Date.parse(message.created_at), ids)
  await tx.insert('search_documents', { id, conversation_key: key, seq: message.seq })
  await tx.write(insertTerms, { rowid: id, terms: [...terms].join(' ') })
}

const checkedPerPage = 1000
/** Conversations checked for recent writes. */
const newestChecked = 50

const keysBehind = (rows: readonly { readonly key: string; readonly behind: number }[]): string[] =>
  rows.filter(({ behind }) => behind === 1).map(({ key }) => key)

/**
 * Lists conversations with unindexed messages, in pages over all of them. `findJustWritten` checks
 * the latest only. `next`: where the next page begins, or null after the last.
 */
export const findUnindexed = defineQuery('find-unindexed', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (
    reader,
    { after }: { readonly after: string },
  ): Promise<{ keys: string[]; next: string | null }> => {
    const rows = await reader.all(selectBehindAfter, { key: after, limit: checkedPerPage })
    return {
      keys: keysBehind(rows),
      next: rows.length < checkedPerPage ? null : (rows.at(-1)?.key ?? null),
    }
  },
})

export const findJustWritten = defineQuery('find-just-written', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (reader, _: Record<never, never>): Promise<string[]> =>
    keysBehind(await reader.all(selectBehindAmongNewest, { limit: newestChecked })),
})
