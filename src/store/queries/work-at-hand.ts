/**
 * What an agent session has before it: messages, counted only as far as anybody needs to know, so that a flood of them costs no
 * more, and the approvals it has asked for.
 */
import { sql } from 'kysely'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Pair } from './agent-sessions.ts'
import type { Receiver } from './unread.ts'

/** Beyond this it is only said that there are so many. */
export const countedUpTo = 1000

const count = sql<number>`count(*)`.as('count')

const countUnread = statement<Pair & { limit: number }>()((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('unread_messages')
        .select('seq')
        .where('agent_id', '=', p.agentId)
        .where('project_id', '=', p.projectId)
        .limit(p.limit)
        .as('few'),
    )
    .select(count),
)

const countHeld = statement<Receiver & { limit: number }>()((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('unread_messages')
        .select('seq')
        .where('agent_id', '=', p.agentId)
        .where('project_id', '=', p.projectId)
        .where('delivered_to', '=', p.agentSessionId)
        .limit(p.limit)
        .as('few'),
    )
    .select(count),
)

export const unreadOf = async (reader: Reader, { agentId, projectId }: Pair): Promise<number> =>
  (await reader.first(countUnread, { agentId, projectId, limit: countedUpTo }))?.count ?? 0

/** Of those, the ones this agent session was handed and has not answered. */
export const heldOf = async (reader: Reader, receiver: Receiver): Promise<number> =>
  (await reader.first(countHeld, { ...receiver, limit: countedUpTo }))?.count ?? 0

/** The oldest one that nobody has decided. The word is said in the query, not as a parameter, so that its index is used. */
export const selectAwaitedApproval = statement<{ agentSessionId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select('id')
    .where('asked_by_agent_session_id', '=', p.agentSessionId)
    .where('status', '=', sql.lit<Tables['human_approvals']['status']>('pending'))
    .orderBy('id')
    .limit(1),
)
