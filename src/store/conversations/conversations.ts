/**
 * Queries about conversations, and their form for readers. Written under the lock of the
 * conversation's stream.
 */
import { sql } from 'kysely'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { ended, type Post } from '../agent-sessions/agent-sessions.ts'
import { fields } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { open } from '../turns/turns.ts'
import { agentsOf, channelOfConversation, identityIn } from './conversation-identity.ts'

export type ConversationRow = Tables['conversations']

/** The columns that each message changes. */
export const countsOf = (row: ConversationRow) => ({
  key: row.key,
  unsummarised_chars: row.unsummarised_chars,
  message_count: row.message_count,
  chapter_messages: row.chapter_messages,
  updated_at: row.updated_at,
})

interface ConversationsFilter {
  readonly from: string
  readonly to: string
  readonly accountId: string | null
  readonly isOwner: number
  readonly projectId: string
  readonly inAny: number
  readonly isAny: number
}

/**
 * `from` and `to` enclose the keys: all, or those of one channel. `isAny` 0: only with an open
 * turn.
 */
const selectConversationsPage = statement<PageParams & ConversationsFilter>()((db, p) =>
  pageOf(
    db
      .selectFrom('conversations')
      .selectAll()
      .where('key', '>=', p.from)
      .where('key', '<', p.to)
      .where('draft', '=', 0)
      .where((eb) => eb.or([eb('project_id', '=', p.projectId), eb(eb.val(p.inAny), '=', 1)]))
      // A console without an account came back from files: nobody knows whose it was.
      .where((eb) =>
        eb.or([
          eb.and([eb('account_id', 'is', null), eb('kind', '<>', 'console')]),
          eb('account_id', '=', p.accountId),
          eb(eb.val(p.isOwner), '=', 1),
        ]),
      )
      .where((eb) =>
        eb.or([
          eb(eb.val(p.isAny), '=', 1),
          eb(
            'key',
            'in',
            eb.selectFrom('turns').select('conversation_key').where('state', 'in', open),
          ),
        ]),
      ),
    p,
    'updated_at',
    'key',
  ),
)

/** Fields of other programs at the top of its file (CV7). */
export const extraOf = ({ extra }: Pick<ConversationRow, 'extra'>): Record<string, unknown> =>
  extra === null ? {} : JSON.parse(extra)

export const conversationOf = (row: ConversationRow): Conversation => ({
  ...fields(row, 'key', 'kind', 'project_id', 'state', 'summary'),
  channel: channelOfConversation(row),
  ...(row.kind === 'agent'
    ? { agentId: null, agentIds: agentsOf(identityIn(row)) }
    : { agentId: row.agent_id }),
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
})

export interface WantedConversations {
  readonly channel?: string | undefined
  readonly projectId?: string | undefined
  /** The account whose consoles are included. Null for all. */
  readonly accountId: string | null
  /** Only those that an agent works in or is about to. */
  readonly live?: boolean
}

/** Most recently changed first. */
export async function conversationsPage(
  reader: Reader,
  { createdAt, id, limit }: PageParams,
  { channel, accountId, projectId, live = false }: WantedConversations,
): Promise<ConversationRow[]> {
  // `;` follows `:` in every collation, and no character follows the last one.
  const keys =
    channel === undefined
      ? { from: '', to: '\u{10ffff}' }
      : { from: `${channel}:`, to: `${channel};` }
  const whose = { accountId, isOwner: accountId === null ? 1 : 0 }
  const where = {
    projectId: projectId ?? '',
    inAny: projectId === undefined ? 1 : 0,
    isAny: live ? 0 : 1,
  }
  return reader.all(selectConversationsPage, { createdAt, id, limit, ...keys, ...whose, ...where })
}

export const selectHolderOf = statement<{ name: string }>()((db, p) =>
  db.selectFrom('conversation_names').select('conversation_key').where('name', '=', p.name),
)

export const selectNameOf = statement<{ key: string }>()((db, p) =>
  db.selectFrom('conversation_names').select('name').where('conversation_key', '=', p.key),
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

export const keepSeen = statement<{ key: string; personId: string; seq: number }>()((db, p) =>
  db
    .insertInto('seen_conversations')
    .values({ person_id: p.personId, conversation_key: p.key, seq: p.seq })
    .onConflict((conflict) =>
      conflict
        .columns(['person_id', 'conversation_key'])
        .doUpdateSet({ seq: p.seq })
        .where(sql.ref('seen_conversations.seq'), '<', p.seq),
    ),
)

export const selectSeen = statement<{ personId: string; key: string }>()((db, p) =>
  db
    .selectFrom('seen_conversations')
    .select('seq')
    .where('person_id', '=', p.personId)
    .where('conversation_key', '=', p.key),
)
