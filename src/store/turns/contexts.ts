/**
 * Contexts as rows (CX1): what an agent knows of one conversation. Written behind the lock of the
 * conversation.
 */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type ContextRow = Tables['contexts']

/** Said in the queries, so that the indexes of those that live are used. */
const ended = sql.lit<ContextRow['state']>('ended')

/** AG6 */
export const noLimit = {
  limited_until: null,
  limited_turn_id: null,
  goes_on_by: null,
  goes_on_left: 0,
} as const

/** What an agent offered when one of its contexts was last opened, anywhere. */
export const selectLatestOffers = statement<{ agentId: string }>()((db, p) =>
  db
    .selectFrom('contexts')
    .select('offers')
    .where('agent_id', '=', p.agentId)
    .where('offers', 'is not', null)
    .where('state', '<>', ended)
    .orderBy('opened_at', 'desc')
    .limit(1),
)

/** The one of an agent in a conversation that has not ended. */
export const selectContextOf = statement<{
  agentId: string
  projectId: string
  key: string
  originKey: string
}>()((db, p) =>
  db
    .selectFrom('contexts')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .where('origin_key', '=', p.originKey)
    .where('state', '<>', ended),
)

export const selectContextsOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db
    .selectFrom('contexts')
    .selectAll()
    .where('launch_id', '=', p.launchId)
    .where('state', '<>', ended)
    .orderBy('created_at'),
)

export const selectContextsIn = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('contexts')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** AG6: the one in a conversation whose agent is at its vendor's limit. */
export const selectLimitedIn = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('contexts')
    .select(['limited_until', 'goes_on_left'])
    .where('conversation_key', '=', p.key)
    .where('state', '<>', ended)
    .where('limited_until', 'is not', null)
    .orderBy('limited_until', 'desc')
    .limit(1),
)

/** AG6: those whose limit is over, the longest first. */
export const selectLimitedUntil = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('contexts')
    .selectAll()
    .where('limited_until', 'is not', null)
    .where('limited_until', '<=', p.until)
    .where('state', '<>', ended)
    .orderBy('limited_until')
    .limit(p.limit),
)

/** Marks the contexts of an ended process as asleep: they can be restored. */
export const updateAsleepOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ state: 'asleep', launch_id: null, agent_session_id: null, primed_at: null })
    .where('launch_id', '=', p.launchId)
    .where('state', '<>', ended),
)

/** AC12: ended contexts whose ACP sessions the agent still holds. */
export const selectLeft = statement<{ agentId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('contexts')
    .select(['id', 'acp_session_id', 'end_reason'])
    .where('agent_id', '=', p.agentId)
    .where('state', '=', ended)
    .where('acp_session_id', 'is not', null)
    .limit(p.limit),
)

/**
 * SB12: the ACP sessions of an agent's contexts, the newest first, with the account that each
 * conversation belongs to.
 */
export const selectAcpSessionsOf = statement<{ agentId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('contexts')
    .leftJoin('conversations', 'conversations.key', 'contexts.conversation_key')
    .where('contexts.agent_id', '=', p.agentId)
    .where('contexts.state', '<>', ended)
    .select((eb) => [
      eb.fn.coalesce('contexts.acp_session_id', 'contexts.fork_of').as('id'),
      'contexts.project_id',
      'conversations.account_id',
    ])
    .orderBy('contexts.opened_at', 'desc')
    .limit(p.limit),
)

/** The conversation was deleted, or the agent is no longer there. */
export const updateEndedIn = statement<{ key: string; reason: string; now: Instant }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ state: 'ended', ended_at: p.now, end_reason: p.reason, launch_id: null })
    .where('conversation_key', '=', p.key)
    .where('state', '<>', ended),
)
