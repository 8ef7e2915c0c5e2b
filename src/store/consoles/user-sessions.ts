/** Queries about user sessions. Written under the lock of their own stream, except for the time of the last connection. */
import { type Kysely, sql } from 'kysely'
import type { RoleAgentLife } from '../../domain/consoles/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { detailFrom } from '../../domain/notices.ts'
import type { AgentMode, AgentOption, AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { ConfigureOrder } from '../../protocol/turns/link.ts'
import { noticesFrom } from '../notices.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type UserSessionRow = Tables['user_sessions']

/** A literal in the query, so that the partial index is used. */
const active = sql.lit<UserSessionRow['state']>('ACTIVE')

/** The columns that an update changes. */
const endingValues = (p: Ending) => ({
  state: p.state,
  terminated_at: p.terminated_at,
  terminate_reason: p.terminate_reason,
  notice: p.notice,
  terminate_request_id: p.terminate_request_id,
  agents_terminated: p.agents_terminated,
  closed_seq: p.closed_seq,
})

export const insertUserSession = statement<UserSessionRow>()((db, p) =>
  db.insertInto('user_sessions').values({
    id: p.id,
    project_id: p.project_id,
    account_id: p.account_id,
    created_at: p.created_at,
    last_active_at: p.last_active_at,
    attached_until: p.attached_until,
    ...endingValues(p),
  }),
)

export const selectUserSession = statement<{ id: string }>()((db, p) =>
  db.selectFrom('user_sessions').selectAll().where('id', '=', p.id),
)

type Ending = Pick<
  UserSessionRow,
  'id' | 'state' | 'terminated_at' | 'terminate_reason' | 'notice' | 'terminate_request_id' | 'agents_terminated' | 'closed_seq'
>

export const updateEnding = statement<Ending>()((db, p) =>
  db.updateTable('user_sessions').set(endingValues(p)).where('id', '=', p.id),
)

export const updateLastActive = statement<{ id: string; now: Instant }>()((db, p) =>
  db.updateTable('user_sessions').set({ last_active_at: p.now }).where('id', '=', p.id),
)

/** US3: records that the last client of a node disconnected. A later time set by another node stays. */
export const updateDetached = statement<{ id: string; until: Instant; seenUntil: Instant }>()((db, p) =>
  db
    .updateTable('user_sessions')
    .set({ attached_until: p.until })
    .where('id', '=', p.id)
    .where('state', '=', active)
    .where('attached_until', '<=', p.seenUntil),
)

export const updateAttached = statement<{ id: string; until: Instant }>()((db, p) =>
  db.updateTable('user_sessions').set({ attached_until: p.until }).where('id', '=', p.id).where('state', '=', active),
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
  { createdAt, id, limit }: PageParams,
): Promise<UserSessionRow[]> =>
  reader.query<UserSessionRow>((db) => {
    let page = db
      .selectFrom('user_sessions')
      .selectAll()
      .where('state', '=', sql.lit(state))
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(createdAt, id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    if (projectId !== undefined) page = page.where('project_id', '=', projectId)
    if (accountId !== null) page = page.where('account_id', '=', accountId)
    return page
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

export const lifeOf = ({ state, terminating_at, terminate_reason, asleep_at, notices }: RoleAgentRow): RoleAgentLife => ({
  state,
  asleep: asleep_at !== null,
  leaving: terminating_at === null ? null : { reason: detailFrom(terminate_reason ?? '', noticesFrom(notices)['reason']) },
})

/** The columns that an update changes. */
const roleAgentValues = (p: RoleAgentRow) => ({
  state: p.state,
  launch_id: p.launch_id,
  load_acp_session_id: p.load_acp_session_id,
  asleep_at: p.asleep_at,
  workspace: p.workspace,
  branch: p.branch,
  note: p.note,
  acp_session_id: p.acp_session_id,
  opened_at: p.opened_at,
  not_restored: p.not_restored,
  offers: p.offers,
  error: p.error,
  notices: p.notices,
  step: p.step,
  exit_code: p.exit_code,
  signal: p.signal,
  last_active_at: p.last_active_at,
  terminating_at: p.terminating_at,
  terminate_reason: p.terminate_reason,
  terminate_request_id: p.terminate_request_id,
  terminated_seq: p.terminated_seq,
})

export const insertRoleAgent = statement<RoleAgentRow>()((db, p) =>
  db.insertInto('role_agents').values({
    id: p.id,
    user_session_id: p.user_session_id,
    project_id: p.project_id,
    role: p.role,
    agent_id: p.agent_id,
    work_session_id: p.work_session_id,
    workspace_wanted: p.workspace_wanted,
    created_at: p.created_at,
    ...roleAgentValues(p),
  }),
)

/** Updates every column that may change. */
export const updateRoleAgent = statement<RoleAgentRow>()((db, p) =>
  db.updateTable('role_agents').set(roleAgentValues(p)).where('id', '=', p.id),
)

export const selectRoleAgent = statement<{ id: string }>()((db, p) =>
  db.selectFrom('role_agents').selectAll().where('id', '=', p.id),
)

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
export const selectLastOpened = statement<{ userSessionId: string; role: string; agentId: string }>()((db, p) =>
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
    .select(['role_agents.id', 'role_agents.user_session_id', 'role_agents.project_id', 'role_agents.role'])
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
    .select(['role_agents.id', 'role_agents.user_session_id', 'role_agents.role', 'role_agents.agent_id'])
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

/** The user sessions in which these launches have a role. */
export async function userSessionsOf(
  reader: Reader,
  launches: Iterable<{ readonly roleAgentId: string | null }>,
): Promise<string[]> {
  const ids = new Set<string>()
  const roleAgentIds = new Set([...launches].flatMap(({ roleAgentId }) => roleAgentId ?? []))
  for (const id of roleAgentIds) {
    const row = await reader.first(selectRoleAgent, { id })
    if (row) ids.add(row.user_session_id)
  }
  return [...ids]
}

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
export const pendingChangesOn = async (reader: Reader, coordinatorId: string): Promise<ConfigureOrder[]> =>
  (await reader.all(selectLiveOffers, { coordinatorId })).flatMap(({ id, offers }) =>
    ((JSON.parse(offers) as Offers).pending ?? []).map((wish) => ({ launchId: id, ...wish })),
  )
