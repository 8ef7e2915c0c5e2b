/**
 * Queries about user sessions. Written under the lock of their own stream, except for the time of
 * the last connection.
 */
import { type Kysely, sql } from 'kysely'
import type { RoleAgentLife } from '../../domain/consoles/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { detailFrom } from '../../domain/notices.ts'
import type { AgentMode, AgentOption, AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { ConfigureOrder } from '../../protocol/turns/link.ts'
import { noticesFrom } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type UserSessionRow = Tables['user_sessions']

/** A literal in the query, so that the partial index is used. */
const active = sql.lit<UserSessionRow['state']>('ACTIVE')

/**
 * US3: records that the last client of a node disconnected. A later time set by another node stays.
 */
export const updateDetached = statement<{ id: string; until: Instant; seenUntil: Instant }>()(
  (db, p) =>
    db
      .updateTable('user_sessions')
      .set({ attached_until: p.until })
      .where('id', '=', p.id)
      .where('state', '=', active)
      .where('attached_until', '<=', p.seenUntil),
)

export const updateAttached = statement<{ id: string; until: Instant }>()((db, p) =>
  db
    .updateTable('user_sessions')
    .set({ attached_until: p.until })
    .where('id', '=', p.id)
    .where('state', '=', active),
)

/** US3: the longest disconnected first. */
export const selectDetached = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('user_sessions')
    .select(['id', 'project_id', 'attached_until'])
    .where('state', '=', active)
    .where('attached_until', '<=', p.until)
    .orderBy('attached_until')
    .limit(p.limit),
)

/** User sessions whose project was deleted. */
export const selectWithoutProject = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('user_sessions')
    .leftJoin('projects', 'projects.id', 'user_sessions.project_id')
    .select('user_sessions.id')
    .where('user_sessions.state', '=', active)
    .where('projects.id', 'is', null)
    .limit(p.limit),
)

export interface UserSessionsFilter {
  readonly projectId?: string | undefined
  /** null: of all accounts. */
  readonly accountId: string | null
  /** The live ones when left out. */
  readonly state?: UserSessionRow['state'] | undefined
}

/** Newest first; terminated ones are listed only on request (US4). */
export const userSessionsPage = (
  reader: Reader,
  { projectId, accountId, state = 'ACTIVE' }: UserSessionsFilter,
  page: PageParams,
): Promise<UserSessionRow[]> =>
  reader.query<UserSessionRow>((db) => {
    let found = db.selectFrom('user_sessions').selectAll().where('state', '=', sql.lit(state))
    if (projectId !== undefined) found = found.where('project_id', '=', projectId)
    if (accountId !== null) found = found.where('account_id', '=', accountId)
    return pageOf(found, page, 'created_at', 'id')
  })

/** Queries about agents in roles (AG1). Written under the lock of their user session's stream. */
export type RoleAgentRow = Tables['role_agents']

/** The capabilities that an agent reported, stored as JSON. */
export interface Offers {
  readonly images: boolean
  readonly modes: readonly AgentMode[]
  readonly modeId: string | null
  readonly options: readonly AgentOption[]
  /** Slash commands, as last reported. */
  readonly commands?: Extract<AgentUpdate, { kind: 'commands' }>['commands']
  /** Unanswered requests to it, oldest first. */
  readonly pending?: readonly Omit<ConfigureOrder, 'launchId'>[]
  /** The use of its context window, and its title for the conversation, as last reported. */
  readonly usage?: Usage | null
  readonly title?: string | null
}

export type Usage = Omit<Extract<AgentUpdate, { kind: 'usage' }>, 'kind'>

export const noOffers: Offers = { images: false, modes: [], modeId: null, options: [] }

/** A literal in the query, so that the partial indexes are used. */
const terminated = sql.lit<RoleAgentRow['state']>('TERMINATED')
const activeRole = sql.lit<RoleAgentRow['state']>('ACTIVE')
const spawning = sql.lit<RoleAgentRow['state']>('SPAWNING')

export const lifeOf = ({
  state,
  terminating_at,
  terminate_reason,
  asleep_at,
  notices,
}: RoleAgentRow): RoleAgentLife => ({
  state,
  asleep: asleep_at !== null,
  leaving:
    terminating_at === null
      ? null
      : { reason: detailFrom(terminate_reason ?? '', noticesFrom(notices)['reason']) },
})

/** The agents that occupy roles of the user session, oldest first. */
export const selectOccupants = statement<{ userSessionId: string }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .selectAll()
    .where('user_session_id', '=', p.userSessionId)
    .where('state', '<>', terminated)
    .orderBy('created_at')
    .orderBy('id'),
)

export const selectOccupant = statement<{ userSessionId: string; role: string }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .selectAll()
    .where('user_session_id', '=', p.userSessionId)
    .where('role', '=', p.role)
    .where('state', '<>', terminated),
)

/** The last agent in a role, also when it has ended. */
export const selectInRole = statement<{ userSessionId: string; role: string }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .select(['id', 'state', 'workspace', 'branch'])
    .where('user_session_id', '=', p.userSessionId)
    .where('role', '=', p.role)
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** AC4: the last agent in the role that opened an ACP session. */
export const selectLastOpened = statement<{
  userSessionId: string
  role: string
  agentId: string
}>()((db, p) =>
  db
    .selectFrom('role_agents')
    .select(['acp_session_id', 'opened_at', 'offers'])
    .where('user_session_id', '=', p.userSessionId)
    .where('role', '=', p.role)
    .where('agent_id', '=', p.agentId)
    .where('acp_session_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** RS2: the last agent that worked in a work session. */
export const selectAtWork = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .selectAll()
    .where('work_session_id', '=', p.workSessionId)
    .where('work_session_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** US4: agents that were asked to leave and still run. */
export const selectLeavingSince = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .select(['id', 'user_session_id', 'project_id', 'role'])
    .where('terminating_at', 'is not', null)
    .where('terminating_at', '<=', p.until)
    .where('state', '<>', terminated)
    .orderBy('terminating_at')
    .limit(p.limit),
)

const starting = (db: Kysely<Tables>, p: { until: Instant; limit: number }) =>
  db
    .selectFrom('role_agents')
    .innerJoin('launches', 'launches.id', 'role_agents.launch_id')
    .select([
      'role_agents.id',
      'role_agents.user_session_id',
      'role_agents.project_id',
      'role_agents.role',
    ])
    .select(['launches.started_at', 'launches.coordinator_id', 'launches.state'])
    .where('launches.started_at', '<=', p.until)
    .orderBy('role_agents.created_at')
    .limit(p.limit)

/** AG2: agents whose process was started and that are not ready. */
export const selectSpawningSince = statement<{ until: Instant; limit: number }>()((db, p) =>
  starting(db, p).where('role_agents.state', '=', spawning),
)

/** AG7: the same for agents that are being woken. */
export const selectWakingSince = statement<{ until: Instant; limit: number }>()((db, p) =>
  starting(db, p)
    .where('role_agents.asleep_at', 'is not', null)
    .where('role_agents.state', '=', activeRole)
    .where('launches.state', '<>', sql.lit('ended'))
    .where('launches.stop_reason', 'is', null),
)

/** AG7: agents without a process that have work waiting. */
export const selectAsleepWithWork = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .innerJoin('launches', 'launches.id', 'role_agents.launch_id')
    .select([
      'role_agents.id',
      'role_agents.user_session_id',
      'role_agents.role',
      'role_agents.agent_id',
    ])
    .where('role_agents.asleep_at', 'is not', null)
    .where('role_agents.state', '=', activeRole)
    .where('role_agents.terminating_at', 'is', null)
    .where('launches.state', '=', sql.lit('ended'))
    .where((is) =>
      is.exists(
        is
          .selectFrom('turns')
          .select('turns.id')
          .whereRef('turns.role_agent_id', '=', 'role_agents.id')
          .where('turns.state', '=', sql.lit('queued'))
          .where('turns.not_before', 'is', null),
      ),
    )
    .orderBy('role_agents.asleep_at')
    .limit(p.limit),
)

/** The coordinators that are notified of events in a user session. */
export const selectCoordinatorsOf = statement<{ userSessionId: string }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .innerJoin('launches', 'launches.id', 'role_agents.launch_id')
    .select('launches.coordinator_id')
    .distinct()
    .where('role_agents.user_session_id', '=', p.userSessionId)
    .where('role_agents.state', '<>', terminated),
)

const selectLiveOffers = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .innerJoin('role_agents', 'role_agents.id', 'launches.role_agent_id')
    .select(['launches.id', 'role_agents.offers'])
    .where('launches.coordinator_id', '=', p.coordinatorId)
    .where('launches.state', '<>', sql.lit('ended'))
    .orderBy('launches.id'),
)

/** AG6: unanswered requests to agents on this machine. */
export const pendingChangesOn = async (
  reader: Reader,
  coordinatorId: string,
): Promise<ConfigureOrder[]> =>
  (await reader.all(selectLiveOffers, { coordinatorId })).flatMap(({ id, offers }) =>
    ((JSON.parse(offers) as Offers).pending ?? []).map((wish) => ({ launchId: id, ...wish })),
  )
