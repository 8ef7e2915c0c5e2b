/**
 * What agents have not answered yet: a row from the moment a message is stored until an answer settles it, so the table never
 * grows with history. Which of them are handed over, and which an answer settles, is decided in domain/conversation/unread.ts.
 */
import { priorities } from '../../domain/conversation/priority.ts'
import { handedOverAtOnce, type UnreadMessage } from '../../domain/conversation/unread.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Message } from '../../protocol/message.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import { messageOf } from './messages.ts'

export type UnreadRow = Tables['unread_messages']

/** Whose unread messages: an agent's in a project, as one of its sessions sees them. */
export interface Receiver {
  readonly agentId: string
  readonly projectId: string
  readonly agentSessionId: string
}

export interface Waiting extends UnreadMessage {
  readonly chars: number
}

/** More than are handed over at once, so that a bound on their number never hides the most urgent ones. */
const consideredAtOnce = 2 * handedOverAtOnce

export const insertUnread = statement<UnreadRow>()((db, p) =>
  db.insertInto('unread_messages').values({
    agent_id: p.agent_id,
    project_id: p.project_id,
    conversation_key: p.conversation_key,
    seq: p.seq,
    priority_rank: p.priority_rank,
    created_at: p.created_at,
    chars: p.chars,
    delivered_to: p.delivered_to,
  }),
)

/** What this session holds comes first, then the most urgent, then the oldest. */
const selectWaiting = statement<Receiver & { limit: number }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .select(['conversation_key', 'seq', 'priority_rank', 'created_at', 'chars', 'delivered_to'])
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .orderBy((eb) => eb.case().when('delivered_to', '=', p.agentSessionId).then(eb.lit(0)).else(eb.lit(1)).end())
    .orderBy('priority_rank', 'desc')
    .orderBy('created_at')
    .orderBy('conversation_key')
    .orderBy('seq')
    .limit(p.limit),
)

export const markDelivered = statement<Receiver & { key: string; seq: number }>()((db, p) =>
  db
    .updateTable('unread_messages')
    .set({ delivered_to: p.agentSessionId })
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .where('seq', '=', p.seq),
)

/** The messages this session was handed and has not answered, whole. */
const selectHeldMessages = statement<Receiver & { key: string }>()((db, p) =>
  db
    .selectFrom('unread_messages as unread')
    .innerJoin('messages', (join) =>
      join.onRef('messages.conversation_key', '=', 'unread.conversation_key').onRef('messages.seq', '=', 'unread.seq'),
    )
    .selectAll('messages')
    .select('unread.delivered_to')
    .where('unread.agent_id', '=', p.agentId)
    .where('unread.project_id', '=', p.projectId)
    .where('unread.conversation_key', '=', p.key)
    .where('unread.delivered_to', '=', p.agentSessionId)
    .orderBy('unread.seq'),
)

/** What an agent was handed in a conversation by sessions that still live, and has not answered. */
export const selectHandedOver = statement<{ agentId: string; key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .innerJoin('agent_sessions', 'agent_sessions.id', 'unread_messages.delivered_to')
    .select('unread_messages.seq')
    .where('unread_messages.agent_id', '=', p.agentId)
    .where('unread_messages.conversation_key', '=', p.key)
    .where('agent_sessions.state', '<>', 'ended')
    .orderBy('unread_messages.seq')
    .limit(p.limit),
)

/** The conversation of what this session holds; there is only one at a time. */
export const selectHeldConversation = statement<Receiver>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .select('conversation_key')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('delivered_to', '=', p.agentSessionId)
    .limit(1),
)

export const deleteUnread = statement<Omit<Receiver, 'agentSessionId'> & { key: string; seq: number }>()((db, p) =>
  db
    .deleteFrom('unread_messages')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .where('seq', '=', p.seq),
)

export const deleteUnreadOfConversation = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('unread_messages').where('conversation_key', '=', p.key),
)

/** The oldest message of a conversation that this session was not handed yet. */
export const selectOldestNotHanded = statement<Receiver & { key: string }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .select('seq')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .where((eb) => eb.or([eb('delivered_to', 'is', null), eb('delivered_to', '<>', p.agentSessionId)]))
    .orderBy('seq')
    .limit(1),
)

/** CO7: something that was written after a moment and is unread. */
export const selectUnreadSince = statement<Omit<Receiver, 'agentSessionId'> & { since: Instant }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .select('seq')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('created_at', '>', p.since)
    .limit(1),
)

/** A bounded number of them, from which domain/conversation/unread.ts chooses. */
export async function waitingFor(reader: Reader, receiver: Receiver): Promise<Waiting[]> {
  const rows = await reader.all(selectWaiting, { ...receiver, limit: consideredAtOnce })
  return rows.map((row) => ({
    conversationKey: row.conversation_key,
    seq: row.seq,
    priority: priorities[row.priority_rank] ?? 'normal',
    createdAt: row.created_at,
    deliveredTo: row.delivered_to,
    chars: row.chars,
  }))
}

/** Whole, as they were handed over. */
export async function heldBy(reader: Reader, receiver: Receiver, key: string): Promise<(Message & UnreadMessage)[]> {
  const rows = await reader.all(selectHeldMessages, { ...receiver, key })
  return rows.map(({ delivered_to, ...row }) => ({ ...messageOf(row), deliveredTo: delivered_to }))
}

/** The live agent session that holds messages of a conversation. */
export const selectHolder = statement<Omit<Receiver, 'agentSessionId'> & { key: string }>()((db, p) =>
  db
    .selectFrom('unread_messages as unread')
    .innerJoin('agent_sessions', 'agent_sessions.id', 'unread.delivered_to')
    .select('agent_sessions.id as agent_session_id')
    .where('unread.agent_id', '=', p.agentId)
    .where('unread.project_id', '=', p.projectId)
    .where('unread.conversation_key', '=', p.key)
    .where('agent_sessions.state', '<>', 'ended')
    .limit(1),
)

/** What an agent has not answered in a conversation, oldest first. */
export const selectUnreadIn = statement<Omit<Receiver, 'agentSessionId'> & { key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .select(['seq', 'delivered_to'])
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .orderBy('seq')
    .limit(p.limit),
)
