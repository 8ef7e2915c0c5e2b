/**
 * Reads the calling agent session inside the transaction. One of another agent or project is not found (SE3); one that ended is
 * refused with its reason (AS8).
 */

import { type ActiveAgentSession, type LiveAgentSession, refusalOn } from '../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { type AgentSessionRow, agentSessionFrom, selectAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { selectRoleAgent } from '../../store/consoles/user-sessions.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'

/**
 * Builds the agent session of an agent in a role (AC2). Such an agent needs no sign-in: its launch token identifies it, its
 * launch id is the session id, and its calls count for the role's work session. It is given no work here, because ACP sends it.
 * Returns undefined if the launch holds no role.
 */
export async function roleAgentSession(reader: Reader, launchId: string): Promise<ActiveAgentSession | undefined> {
  const launch = await findLaunch(reader, launchId)
  if (!launch || launch.roleAgentId === null || launch.state === 'ended') return undefined
  const row = await reader.first(selectRoleAgent, { id: launch.roleAgentId })
  if (row?.launch_id !== launchId || (row.state !== 'ACTIVE' && row.state !== 'SPAWNING')) return undefined
  const { agentId, projectId } = launch
  const assigned = await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })
  if (!assigned) throw new Refusal('session_ended', undefined, { reason: 'revoked' })
  return {
    id: launchId,
    agentId,
    projectId,
    purpose: 'task',
    state: 'active',
    launchId,
    workSessionId: row.work_session_id,
    createdAt: row.created_at,
    lastActivityAt: row.last_active_at,
    lastAnswerAt: null,
    expiresAt: row.last_active_at,
    suspectedAt: null,
  }
}

export async function liveAgentSession(reader: Reader, caller: Receiver): Promise<LiveAgentSession> {
  const row = await reader.first(selectAgentSession, { id: caller.agentSessionId })
  const inRole = row ? undefined : await roleAgentSession(reader, caller.agentSessionId)
  if (inRole?.agentId === caller.agentId && inRole.projectId === caller.projectId) return inRole
  const agentSession = agentSessionFrom(checkedOwn(row, caller))
  if (agentSession.state !== 'ended') return agentSession
  const refusal = refusalOn(agentSession)
  throw new Refusal('session_ended', undefined, { reason: refusal?.reason })
}

/** Finds the caller's session, even if it has ended. */
export async function ownRow(reader: Reader, { agentSessionId, agentId, projectId }: Receiver): Promise<AgentSessionRow> {
  return checkedOwn(await reader.first(selectAgentSession, { id: agentSessionId }), { agentId, projectId })
}

export function checkedOwn<Row extends Pick<AgentSessionRow, 'agent_id' | 'project_id'>>(
  row: Row | undefined,
  { agentId, projectId }: Pick<Receiver, 'agentId' | 'projectId'>,
): Row {
  if (!row || row.agent_id !== agentId || row.project_id !== projectId) throw noSuchAgentSession()
  return row
}

export const noSuchAgentSession = (): Refusal => new Refusal('not_found', refusalText('noAgentSession'))
