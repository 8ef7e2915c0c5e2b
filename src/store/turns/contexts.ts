/** Contexts as rows (CX1): what an agent knows of one conversation. Written behind the lock of the conversation. */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Pair } from '../agent-sessions/agent-sessions.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type ContextRow = Tables['contexts']

/** Said in the queries, so that the indexes of those that live are used. */
const ended = sql.lit<ContextRow['state']>('ended')

/** AG6 */
export const noLimit = { limited_until: null, limited_turn_id: null, goes_on_by: null, goes_on_left: 0 } as const

const changing = (p: ContextRow) => ({
  state: p.state,
  launch_id: p.launch_id,
  agent_session_id: p.agent_session_id,
  acp_session_id: p.acp_session_id,
  opened_at: p.opened_at,
  how: p.how,
  not_restored: p.not_restored,
  notice: p.notice,
  primed_at: p.primed_at,
  told_through: p.told_through,
  decisions_told_at: p.decisions_told_at,
  trouble: p.trouble,
  limited_until: p.limited_until,
  limited_turn_id: p.limited_turn_id,
  goes_on_by: p.goes_on_by,
  goes_on_left: p.goes_on_left,
  ended_at: p.ended_at,
  end_reason: p.end_reason,
})

export const insertContext = statement<ContextRow>()((db, p) =>
  db.insertInto('contexts').values({
    id: p.id,
    agent_id: p.agent_id,
    project_id: p.project_id,
    conversation_key: p.conversation_key,
    origin_key: p.origin_key,
    generation: p.generation,
    created_at: p.created_at,
    commands: p.commands,
    ...changing(p),
  }),
)

export const updateContext = statement<ContextRow>()((db, p) =>
  db.updateTable('contexts').set(changing(p)).where('id', '=', p.id),
)

export const updateContextCommands = statement<Pick<ContextRow, 'id' | 'commands'>>()((db, p) =>
  db.updateTable('contexts').set({ commands: p.commands }).where('id', '=', p.id),
)

export const selectContext = statement<{ id: string }>()((db, p) => db.selectFrom('contexts').selectAll().where('id', '=', p.id))

/** The one of an agent in a conversation that has not ended. */
export const selectContextOf = statement<Pair & { key: string; originKey: string }>()((db, p) =>
  db
    .selectFrom('contexts')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .where('origin_key', '=', p.originKey)
    .where('state', '<>', ended),
)

/** The contexts of a process. */
export const selectContextsOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db.selectFrom('contexts').selectAll().where('launch_id', '=', p.launchId).where('state', '<>', ended).orderBy('created_at'),
)

/** All contexts of a conversation, newest first. */
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
export const putToSleep = statement<{ launchId: string }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ state: 'asleep', launch_id: null, agent_session_id: null, primed_at: null })
    .where('launch_id', '=', p.launchId)
    .where('state', '<>', ended),
)

/** The conversation was deleted, or the agent is no longer there. */
export const endContextsIn = statement<{ key: string; reason: string; now: Instant }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ state: 'ended', ended_at: p.now, end_reason: p.reason, launch_id: null })
    .where('conversation_key', '=', p.key)
    .where('state', '<>', ended),
)
