/**
 * An agent in a role needs no sign-in to use our tools (AC2): its launch token says who it is, and its launch stands in the place of an
 * agent session, for as long as it holds its role. It leases nothing: what it does counts for the work session of its role. Tools that are
 * about being given work find none; what it has to do it is told over ACP.
 */
import type { ActiveAgentSession } from '../domain/agent-session/lifecycle.ts'
import { Refusal } from '../domain/errors.ts'
import { selectAssignment } from '../store/queries/assignments.ts'
import { findLaunch } from '../store/queries/launches.ts'
import { selectRoleAgent } from '../store/queries/role-agents.ts'
import type { Reader } from '../store/store.ts'

/** undefined: this is no launch of an agent that holds a role. */
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
