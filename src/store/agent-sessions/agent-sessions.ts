/** Queries about agent sessions, and their forms for decisions and readers. Written under the lock of their project's stream. */
import { sql } from 'kysely'
import type { AgentSession as Decided, EndReason, LiveAgentSession, Purpose } from '../../domain/agent-sessions/lifecycle.ts'
import type { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import type { PageParams } from '../page-cursor.ts'
import { from, insertRow, pageOf, rowsOf, selectBy, updateColumns, updateRow } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { type ParamsOf, statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type AgentSessionRow = Tables['agent_sessions']

export interface Pair {
  readonly agentId: string
  readonly projectId: string
}

/** A literal in the query: a partial index is not used for a parameter. */
export const ended = sql.lit<AgentSessionRow['state']>('ended')

export const insertAgentSession = insertRow('agent_sessions')

export const selectAgentSession = selectBy('agent_sessions', 'id')

/** AS4: there is at most one. */
export const selectLiveAgentSession = statement<Pair & { purpose: Purpose }>()((db, p) =>
  rowsOf(db, 'agent_sessions', { agent_id: p.agentId, project_id: p.projectId, purpose: p.purpose }).where('state', '<>', ended),
)

/** AS4: at most one of each purpose. */
const selectLiveOfPair = statement<Pair>()((db, p) =>
  rowsOf(db, 'agent_sessions', { agent_id: p.agentId, project_id: p.projectId }).where('state', '<>', ended).orderBy('purpose'),
)

/** At most two in each project; `limit` is enough to see that there are several. */
const selectLiveOfAgent = statement<{ agentId: string; limit: number }>()((db, p) =>
  rowsOf(db, 'agent_sessions', { agent_id: p.agentId })
    .where('state', '<>', ended)
    .orderBy('project_id')
    .orderBy('purpose')
    .limit(p.limit),
)

const selectLiveOfProject = statement<{ projectId: string }>()((db, p) =>
  rowsOf(db, 'agent_sessions', { project_id: p.projectId }).where('state', '<>', ended).orderBy('id'),
)

export const selectNewestOfAgent = statement<{ agentId: string }>()((db, p) =>
  rowsOf(db, 'agent_sessions', { agent_id: p.agentId }).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1),
)

/** Another live agent session in the same work session. */
export const selectCompanion = statement<{ workSessionId: string; agentSessionId: string }>()((db, p) =>
  from(db, 'agent_sessions', { work_session_id: p.workSessionId })
    .select('id')
    .where('state', '<>', ended)
    .where('id', '<>', p.agentSessionId)
    .orderBy('id')
    .limit(1),
)

export const updateAgentSession = updateRow('agent_sessions', 'context_id', 'resumed_work_session_id', 'token_hash')

/** AS6: touches no index. */
export const updateActivity = updateColumns('agent_sessions', 'last_activity_at', 'last_answer_at')

export const updateToken = statement<{ id: string; tokenHash: string }>()((db, p) =>
  db.updateTable('agent_sessions').set({ token_hash: p.tokenHash }).where('id', '=', p.id),
)

/** Sets the conversation that a pulling agent holds. */
export const updateBoundContext = statement<{ id: string; contextId: string }>()((db, p) =>
  db.updateTable('agent_sessions').set({ context_id: p.contextId }).where('id', '=', p.id),
)

export const updateResumed = statement<{ id: string; workSessionId: string }>()((db, p) =>
  db.updateTable('agent_sessions').set({ resumed_work_session_id: p.workSessionId }).where('id', '=', p.id),
)

export function agentSessionFrom(row: AgentSessionRow): Decided {
  const lease = {
    id: row.id,
    agentId: row.agent_id,
    projectId: row.project_id,
    purpose: row.purpose,
    launchId: row.launch_id,
    workSessionId: row.work_session_id,
    createdAt: row.created_at,
    lastActivityAt: row.last_activity_at,
    lastAnswerAt: row.last_answer_at,
    expiresAt: row.expires_at,
    suspectedAt: row.suspected_at,
  }
  if (row.state === 'active') return { ...lease, state: row.state }
  const terminatingAt = row.terminating_at ?? row.created_at
  if (row.state === 'terminating') return { ...lease, state: row.state, terminatingAt }
  const endReason = (row.end_reason ?? 'expired') as EndReason
  return { ...lease, state: row.state, terminatingAt, endedAt: row.ended_at ?? terminatingAt, endReason }
}

export const changesOf = (agentSession: Decided): ParamsOf<typeof updateAgentSession> => ({
  id: agentSession.id,
  state: agentSession.state,
  work_session_id: agentSession.workSessionId,
  last_activity_at: agentSession.lastActivityAt,
  last_answer_at: agentSession.lastAnswerAt,
  expires_at: agentSession.expiresAt,
  terminating_at: agentSession.state === 'active' ? null : agentSession.terminatingAt,
  suspected_at: agentSession.suspectedAt,
  ended_at: agentSession.state === 'ended' ? agentSession.endedAt : null,
  end_reason: agentSession.state === 'ended' ? agentSession.endReason : null,
})

export const agentSessionOf = (agentSession: Decided): AgentSession => ({
  id: agentSession.id,
  agentId: agentSession.agentId,
  projectId: agentSession.projectId,
  purpose: agentSession.purpose,
  state: agentSession.state,
  launchId: agentSession.launchId,
  workSessionId: agentSession.workSessionId,
  createdAt: agentSession.createdAt,
  lastActivityAt: agentSession.lastActivityAt,
  expiresAt: agentSession.expiresAt,
  endedAt: agentSession.state === 'ended' ? agentSession.endedAt : null,
  endReason: agentSession.state === 'ended' ? agentSession.endReason : null,
})

export const liveOfPair = async (reader: Reader, pair: Pair): Promise<LiveAgentSession[]> =>
  living(await reader.all(selectLiveOfPair, pair))

export const liveOfAgent = async (reader: Reader, agentId: string, limit: number): Promise<LiveAgentSession[]> =>
  living(await reader.all(selectLiveOfAgent, { agentId, limit }))

export const liveOfProject = async (reader: Reader, projectId: string): Promise<LiveAgentSession[]> =>
  living(await reader.all(selectLiveOfProject, { projectId }))

const living = (rows: readonly AgentSessionRow[]): LiveAgentSession[] =>
  rows.map(agentSessionFrom).filter((each) => each.state !== 'ended')

/** The agent sessions of a launch: at most one live, and earlier ones. */
export const selectNewestOfLaunch = statement<{ launchId: string }>()((db, p) =>
  rowsOf(db, 'agent_sessions', { launch_id: p.launchId }).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1),
)

export async function newestOfLaunch(reader: Reader, launchId: string): Promise<Decided | undefined> {
  const row = await reader.first(selectNewestOfLaunch, { launchId })
  return row && agentSessionFrom(row)
}

/** Filters of the list of agent sessions, newest first. */
export interface AgentSessionsFilter {
  readonly projectId?: string | undefined
  readonly agentId?: string | undefined
  readonly state?: AgentSession['state'] | undefined
}

export async function agentSessionsPage(
  reader: Reader,
  { projectId, agentId, state }: AgentSessionsFilter,
  params: PageParams,
): Promise<AgentSession[]> {
  const rows = await reader.query<AgentSessionRow>((db) => {
    const values = { project_id: projectId, agent_id: agentId, state }
    const page = pageOf(rowsOf(db, 'agent_sessions', values), params, 'created_at', 'id')
    // Added so that the partial indexes are used: few live among many ended ones.
    return state === undefined || state === 'ended' ? page : page.where('state', '<>', ended)
  })
  return rows.map((row) => agentSessionOf(agentSessionFrom(row)))
}
