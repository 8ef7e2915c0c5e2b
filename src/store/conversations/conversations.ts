/**
 * Queries about conversations, and their form for readers. Written under the lock of the
 * conversation's stream.
 */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { ended, type Post } from '../agent-sessions/agent-sessions.ts'
import { fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { agentsOf, channelOfConversation, identityIn } from './conversation-identity.ts'

export type ConversationRow = Tables['conversations']

/** The columns that each message changes. */
export const countsOf = (row: ConversationRow) => ({
  key: row.key,
  unsummarised_chars: row.unsummarised_chars,
  message_count: row.message_count,
  last_seq: row.last_seq,
  last_turn_at: row.last_turn_at,
  chapter_messages: row.chapter_messages,
  updated_at: row.updated_at,
})

/** Whether a session of a project works in a folder that was given. */
export const selectInFolder = statement<{ projectId: string; folder: string }>()((db, p) =>
  db
    .selectFrom('conversations')
    .select('key')
    .where('project_id', '=', p.projectId)
    .where('workplace_folder', '=', p.folder)
    .limit(1),
)

/** The oldest first. */
export const selectDraftsBefore = statement<{ before: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('conversations')
    .select('key')
    .where('draft', '=', sql.lit(1))
    .where('created_at', '<=', p.before)
    .orderBy('created_at')
    .limit(p.limit),
)

/** Fields of other programs at the top of its file (CV7). */
export const extraOf = ({ extra }: Pick<ConversationRow, 'extra'>): Record<string, unknown> =>
  extra === null ? {} : JSON.parse(extra)

/** The agents that people had in it one after another (SN21), the present one last. */
export function agentsInTurn(row: ConversationRow): Conversation['agents'] {
  if (row.agent_id === null || row.kind === 'agent') return []
  if (row.agents !== null) return JSON.parse(row.agents)
  return [{ agentId: row.agent_id, since: row.created_at }]
}

export const conversationOf = (row: ConversationRow): Conversation => ({
  ...fields(row, 'key', 'kind', 'project_id', 'state', 'summary'),
  channel: channelOfConversation(row),
  ...(row.kind === 'agent'
    ? { agentId: null, agentIds: agentsOf(identityIn(row)) }
    : { agentId: row.agent_id }),
  agents: agentsInTurn(row),
  ...(row.continued_as !== null && { continuedAs: row.continued_as }),
  ...(row.continued_from !== null && { continuedFrom: row.continued_from }),
  ...(row.user_session_id !== null && { userSessionId: row.user_session_id }),
  ...(row.role !== null && { role: row.role }),
  ...(row.work_session_id !== null && { workSessionId: row.work_session_id }),
  ...(row.summary_by !== null && { summaryBy: row.summary_by }),
  flags: JSON.parse(row.flags),
  title: row.title,
  ...(row.forked_from !== null && { forkedFrom: JSON.parse(row.forked_from) }),
  messageCount: row.message_count,
  created: row.created_at,
  updated: row.updated_at,
  lastTurnAt: row.last_turn_at,
})

export const selectHolderOf = statement<{ name: string }>()((db, p) =>
  db.selectFrom('conversation_names').select('conversation_key').where('name', '=', p.name),
)

export const selectNameOf = statement<{ key: string }>()((db, p) =>
  db.selectFrom('conversation_names').select('name').where('conversation_key', '=', p.key),
)

/** A turn was added: its conversation is at the head of the lists. */
export const touchTurn = statement<{ key: string; at: Instant }>()((db, p) =>
  db.updateTable('conversations').set({ last_turn_at: p.at }).where('key', '=', p.key),
)

/** The agent sessions that wrote in open conversations between agents (CV10). */
export const insertOpenConversation = statement<Tables['open_conversations']>()((db, p) =>
  db
    .insertInto('open_conversations')
    .values({ agent_session_id: p.agent_session_id, conversation_key: p.conversation_key })
    .onConflict((conflict) => conflict.doNothing()),
)

/** The conversations to close when a live session of the post ends. */
export const selectOpenConversationsOf = statement<Post & { limit: number }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .innerJoin('open_conversations', 'open_conversations.agent_session_id', 'agent_sessions.id')
    .select('open_conversations.conversation_key')
    .distinct()
    .where('agent_sessions.agent_id', '=', p.agentId)
    .where('agent_sessions.project_id', '=', p.projectId)
    .where('agent_sessions.lane', '=', p.lane)
    .where('agent_sessions.state', '<>', ended)
    .orderBy('open_conversations.conversation_key')
    .limit(p.limit),
)
