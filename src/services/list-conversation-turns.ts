/** The turns of a conversation, newest first, page by page: each prompt and what came of it, as the one table of turns has it. */

import { Refusal } from '../domain/errors.ts'
import type { ConversationTurn } from '../protocol/conversation-turn.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { selectTurnItems } from '../store/queries/turn-items.ts'
import { selectTurn, selectTurnsBefore, type TurnRow } from '../store/queries/turns.ts'
import { defineQuery } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

const turnView = (row: TurnRow): ConversationTurn => ({
  id: row.id,
  conversationKey: row.conversation_key,
  agentId: row.agent_id,
  about: row.about,
  taskId: row.task_id,
  state: row.state,
  stopReason: row.stop_reason,
  error: row.error,
  content: JSON.parse(row.content),
  text: row.answer,
  cut: row.cut === 1,
  usage: row.usage === null ? null : JSON.parse(row.usage),
  retryOf: row.retry_of,
  notBefore: row.state === 'queued' ? row.not_before : null,
  primer: row.primer,
  by: row.asked_by,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
})

export const listConversationTurns = defineQuery({
  name: 'list-conversation-turns',
  run: async (reader, { key, ...page }: PageQuery & { key: string }): Promise<Page<ConversationTurn>> => {
    streamOfKey(key)
    await existingConversation(reader, key)
    const rows = await reader.all(selectTurnsBefore, { key, ...pageParams(page) })
    return cutPageBy(rows.map(turnView), page.limit, ({ createdAt, id }) => ({ createdAt, id }))
  },
})

const maxItems = 5000

/** What came of one turn, in order. */
export const readTurnItems = defineQuery({
  name: 'read-turn-items',
  run: async (reader, { key, turnId }: { key: string; turnId: string }) => {
    const row = await reader.first(selectTurn, { id: turnId })
    if (row?.conversation_key !== key) throw new Refusal('not_found', `There is no turn ${turnId} in ${key}`, { turnId })
    const items = await reader.all(selectTurnItems, { turnId, after: -1, limit: maxItems })
    return { turn: turnView(row), items: items.map(({ kind, body }) => ({ kind, ...JSON.parse(body) })) }
  },
})
