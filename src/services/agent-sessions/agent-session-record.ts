/**
 * Reads the calling agent session: another agent's is not found (SE3), an ended one is refused with
 * its reason (AS8).
 */

import {
  type ActiveAgentSession,
  type LiveAgentSession,
  refusalOn,
} from '../../domain/agent-sessions/lifecycle.ts'
import type { Work, WorkFacts } from '../../domain/agent-sessions/work-detection.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import {
  type AgentSessionRow,
  agentSessionFrom,
  liveOfPost,
  type Pair,
  type Post,
} from '../../store/agent-sessions/agent-sessions.ts'
import { unreadOf } from '../../store/agent-sessions/work-at-hand.ts'
import { postKey, selectPurpose } from '../../store/conversations/panels.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'
import { selectNextTask, selectTaskAtHand, type TaskRow } from '../../store/work/tasks.ts'

/**
 * Builds the agent session of an agent in a role (AC2). Such an agent needs no sign-in: its launch
 * token identifies it, its launch id is the session id, and its calls count for the role's work
 * session. It is given no work here, because ACP sends it. Returns undefined if the launch holds no
 * role.
 */
export async function roleAgentSession(
  reader: Reader,
  launchId: string,
): Promise<ActiveAgentSession | undefined> {
  const launch = await findLaunch(reader, launchId)
  if (!launch || launch.roleAgentId === null || launch.state === 'ended') return undefined
  const row = await reader.row('role_agents', { id: launch.roleAgentId })
  if (row?.launch_id !== launchId || (row.state !== 'ACTIVE' && row.state !== 'SPAWNING'))
    return undefined
  const { agentId, projectId } = launch
  const assigned = await reader.first(selectAssignment, {
    project_id: projectId,
    agent_id: agentId,
  })
  if (!assigned) throw new Refusal('session_ended', undefined, { reason: 'revoked' })
  return {
    id: launchId,
    agentId,
    projectId,
    lane: '',
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

export async function liveAgentSession(
  reader: Reader,
  caller: AgentCaller,
): Promise<LiveAgentSession> {
  const row = await reader.row('agent_sessions', { id: caller.agentSessionId })
  const inRole = row ? undefined : await roleAgentSession(reader, caller.agentSessionId)
  if (inRole?.agentId === caller.agentId && inRole.projectId === caller.projectId) return inRole
  const agentSession = agentSessionFrom(checkedOwn(row, caller))
  if (agentSession.state !== 'ended') return agentSession
  const refusal = refusalOn(agentSession)
  throw new Refusal('session_ended', undefined, { reason: refusal?.reason })
}

/** Finds the caller's session, even if it has ended. */
export async function ownRow(
  reader: Reader,
  { agentSessionId, agentId, projectId }: AgentCaller,
): Promise<AgentSessionRow> {
  return checkedOwn(await reader.row('agent_sessions', { id: agentSessionId }), {
    agentId,
    projectId,
  })
}

export function checkedOwn<Row extends Pick<AgentSessionRow, 'agent_id' | 'project_id'>>(
  row: Row | undefined,
  { agentId, projectId }: Pick<AgentCaller, 'agentId' | 'projectId'>,
): Row {
  if (!row || row.agent_id !== agentId || row.project_id !== projectId) throw noSuchAgentSession()
  return row
}

export const noSuchAgentSession = (): Refusal =>
  new Refusal('not_found', refusalText('noAgentSession'))

// The facts about an agent's work in a project (AS3), for authentication, exits and starts.

/**
 * The task an agent would take: one in progress in a running work session, or else the next of an
 * open plan (WK5).
 */
export const taskFor = async (
  reader: Reader,
  { agentId, projectId }: Pair,
): Promise<TaskRow | undefined> =>
  (await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId: null })) ??
  (await reader.first(selectNextTask, { agentId, projectId }))

/** Tasks are for the common processes alone. */
export const workOf = async (reader: Reader, post: Post): Promise<Work> => ({
  hasTask: post.lane === '' && (await taskFor(reader, post)) !== undefined,
  unreadMessages: await unreadOf(reader, post),
})

export async function workFactsOf(reader: Reader, post: Post): Promise<WorkFacts> {
  const purpose = await reader.first(selectPurpose, postKey(post))
  const live = await liveOfPost(reader, post)
  return {
    ...(await workOf(reader, post)),
    pendingChatSince: purpose?.created_at ?? null,
    live: live.map((each) => each.purpose),
  }
}

// Ends live agent sessions that lost their access (SE3): the agent was unassigned, deleted, or got
// a new passkey. Runs in the same commit, so that the next call sees it. Due work (jobs) closes
// what they left open.

/** Sessions of one agent over all its projects. */
export const maxRevoked = 1000
