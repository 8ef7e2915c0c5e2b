/** Contexts as rows (CX1): what an agent knows of one conversation. Written behind the lock of the conversation. */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { atMost, from, not, present, rowsOf, selectBy, selectSome, updateRow } from '../rows.ts'
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

export const updateContext = updateRow('contexts', 'commands', 'offers')

/** What an agent offered when one of its contexts was last opened, anywhere. */
export const selectLatestOffers = statement<{ agentId: string }>()((db, p) =>
  from(
    db,
    'contexts',
    { agent_id: p.agentId, offers: present, state: not(ended) },
    'opened_at desc',
  )
    .select('offers')
    .limit(1),
)

/** The one of an agent in a conversation that has not ended. */
export const selectContextOf = selectBy('contexts', {
  agentId: 'agent_id',
  projectId: 'project_id',
  key: 'conversation_key',
  originKey: 'origin_key',
  state: not(ended),
})

export const selectContextsOfLaunch = selectBy(
  'contexts',
  { launchId: 'launch_id', state: not(ended) },
  'created_at',
)

export const selectContextsIn = selectSome(
  'contexts',
  { key: 'conversation_key' },
  'created_at desc',
  'id desc',
)

/** AG6: the one in a conversation whose agent is at its vendor's limit. */
export const selectLimitedIn = statement<{ key: string }>()((db, p) =>
  from(
    db,
    'contexts',
    { conversation_key: p.key, state: not(ended), limited_until: present },
    'limited_until desc',
  )
    .select(['limited_until', 'goes_on_left'])
    .limit(1),
)

/** AG6: those whose limit is over, the longest first. */
export const selectLimitedUntil = statement<{ until: Instant; limit: number }>()((db, p) =>
  rowsOf(
    db,
    'contexts',
    { limited_until: [present, atMost(p.until)], state: not(ended) },
    'limited_until',
  ).limit(p.limit),
)

/** Marks the contexts of an ended process as asleep: they can be restored. */
export const putToSleep = statement<{ launchId: string }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ state: 'asleep', launch_id: null, agent_session_id: null, primed_at: null })
    .where('launch_id', '=', p.launchId)
    .where('state', '<>', ended),
)

/** AC12: ended contexts whose ACP sessions the agent still holds. */
export const selectLeft = statement<{ agentId: string; limit: number }>()((db, p) =>
  from(db, 'contexts', { agent_id: p.agentId, state: ended, acp_session_id: present })
    .select(['id', 'acp_session_id', 'end_reason'])
    .limit(p.limit),
)

/** SB12: the ACP sessions of an agent's contexts, the newest first, with the account that each conversation belongs to. */
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
export const endContextsIn = statement<{ key: string; reason: string; now: Instant }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ state: 'ended', ended_at: p.now, end_reason: p.reason, launch_id: null })
    .where('conversation_key', '=', p.key)
    .where('state', '<>', ended),
)
