/** Reads user sessions inside use cases, names the streams to lock, and announces an end when the last agent has gone (US4). */

import { refusalText } from '../../domain/because.ts'
import { type ConsoleRefusal, mayPrompt } from '../../domain/consoles/roster.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { coordinatorStream, home, projectStream, type StreamName, userSessionStream } from '../../domain/stream-name.ts'
import { lifeOf, type RoleAgentRow, selectOccupant, selectOccupants } from '../../store/consoles/role-agents.ts'
import { selectUserSession, type UserSessionRow, updateEnding } from '../../store/consoles/user-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** From `find-user-session`: what to lock. */
export interface UserSessionLocks {
  readonly userSessionId: string
  readonly projectId: string
  /** Coordinators of its agents' processes. */
  readonly coordinatorIds: readonly string[]
}

/** Streams for sending prompts to its agents. */
export const promptStreams = ({ userSessionId, coordinatorIds }: Omit<UserSessionLocks, 'projectId'>): StreamName[] => [
  userSessionStream(userSessionId),
  ...coordinatorIds.map(coordinatorStream),
]

/** Streams for starting and ending its agents. */
export const rosterStreams = (which: UserSessionLocks): StreamName[] => [
  home,
  projectStream(which.projectId),
  ...promptStreams(which),
]

export const noSuchUserSession = (userSessionId: string): Refusal =>
  new Refusal('user_session_not_found', refusalText('noUserSession', { id: userSessionId }), { userSessionId })

export const rosterRefusal = ({ refused, because }: ConsoleRefusal): Refusal => new Refusal(refused, because)

export async function existingUserSession(reader: Reader, id: string): Promise<UserSessionRow> {
  const row = await reader.first(selectUserSession, { id })
  if (!row) throw noSuchUserSession(id)
  return row
}

/** The agent in a role, if it accepts prompts now. */
export async function activeAgent(reader: Reader, userSessionId: string, role: string): Promise<RoleAgentRow> {
  const { state } = await existingUserSession(reader, userSessionId)
  const agent = await reader.first(selectOccupant, { userSessionId, role })
  const refused = mayPrompt(state, agent && lifeOf(agent))
  if (refused || !agent) throw rosterRefusal(refused ?? { refused: 'agent_not_active' })
  return agent
}

/** The agent and its process, whose coordinator's stream must be locked. */
export async function activeProcess(
  reader: Reader,
  which: UserSessionLocks,
  role: string,
): Promise<{ agent: RoleAgentRow; launch: Launch }> {
  const agent = await activeAgent(reader, which.userSessionId, role)
  const launch = agent.launch_id ? await findLaunch(reader, agent.launch_id) : undefined
  if (!launch) throw rosterRefusal({ refused: 'agent_not_active' })
  requireLocked(which, launch.coordinatorId)
  return { agent, launch }
}

/** Refuses if the process moved to a coordinator that is not locked; the caller retries. */
export function requireLocked({ coordinatorIds }: Pick<UserSessionLocks, 'coordinatorIds'>, coordinatorId: string): void {
  if (!coordinatorIds.includes(coordinatorId)) throw new Refusal('busy', refusalText('justChanged'))
}

/** Announces the end of a terminated user session once no agent is left. */
export async function announceEndIfEmpty(tx: Tx, userSessionId: string): Promise<void> {
  const row = await existingUserSession(tx, userSessionId)
  if (row.terminated_at === null || row.closed_seq !== null) return
  if ((await tx.all(selectOccupants, { userSessionId })).length > 0) return
  const requestId = row.terminate_request_id ?? undefined
  const reason = row.terminate_reason ?? ''
  const data = { reason, agentsTerminated: row.agents_terminated, requestId }
  const closed_seq = tx.append(userSessionStream(userSessionId), { type: 'session:terminated', data }, [
    projectStream(row.project_id),
  ])
  await tx.write(updateEnding, { ...row, closed_seq })
}
