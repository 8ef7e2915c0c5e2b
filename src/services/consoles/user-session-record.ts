/**
 * A user session inside a use case: which streams have to be locked for it, its row, and its end, which is told once the last of its
 * agents has gone (US4). Decides nothing.
 */

import { refusalText } from '../../domain/because.ts'
import { mayPrompt, type NotNow } from '../../domain/consoles/roster.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { coordinatorStream, home, projectStream, type StreamName, userSessionStream } from '../../domain/stream-name.ts'
import { lifeOf, type RoleAgentRow, selectOccupant, selectOccupants } from '../../store/consoles/role-agents.ts'
import { selectUserSession, type UserSessionRow, updateEnding } from '../../store/consoles/user-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** From `find-user-session`: what has to be locked. */
export interface WhichUserSession {
  readonly userSessionId: string
  readonly projectId: string
  /** Of the processes of its agents. */
  readonly coordinatorIds: readonly string[]
}

/** To speak with its agents. */
export const talkStreams = ({ userSessionId, coordinatorIds }: Omit<WhichUserSession, 'projectId'>): StreamName[] => [
  userSessionStream(userSessionId),
  ...coordinatorIds.map(coordinatorStream),
]

/** To have agents come and go. */
export const rosterStreams = (which: WhichUserSession): StreamName[] => [
  home,
  projectStream(which.projectId),
  ...talkStreams(which),
]

export const noSuchUserSession = (userSessionId: string): Refusal =>
  new Refusal('user_session_not_found', refusalText('noUserSession', { id: userSessionId }), { userSessionId })

export const notNow = ({ refused, because }: NotNow): Refusal => new Refusal(refused, because)

export async function existingUserSession(reader: Reader, id: string): Promise<UserSessionRow> {
  const row = await reader.first(selectUserSession, { id })
  if (!row) throw noSuchUserSession(id)
  return row
}

/** The agent in a role, which can be told something now. */
export async function activeAgent(reader: Reader, userSessionId: string, role: string): Promise<RoleAgentRow> {
  const { state } = await existingUserSession(reader, userSessionId)
  const agent = await reader.first(selectOccupant, { userSessionId, role })
  const refused = mayPrompt(state, agent && lifeOf(agent))
  if (refused || !agent) throw notNow(refused ?? { refused: 'agent_not_active' })
  return agent
}

/** With its process, whose coordinator's stream is locked. */
export async function activeProcess(
  reader: Reader,
  which: WhichUserSession,
  role: string,
): Promise<{ agent: RoleAgentRow; launch: Launch }> {
  const agent = await activeAgent(reader, which.userSessionId, role)
  const launch = agent.launch_id ? await findLaunch(reader, agent.launch_id) : undefined
  if (!launch) throw notNow({ refused: 'agent_not_active' })
  mustBeLocked(which, launch.coordinatorId)
  return { agent, launch }
}

/** A process was started elsewhere since the streams were chosen: whoever asks again locks the right ones. */
export function mustBeLocked({ coordinatorIds }: Pick<WhichUserSession, 'coordinatorIds'>, coordinatorId: string): void {
  if (!coordinatorIds.includes(coordinatorId)) throw new Refusal('busy', refusalText('justChanged'))
}

/** If its end was asked for and nobody is left, says so. */
export async function closeIfEmpty(tx: Tx, userSessionId: string): Promise<void> {
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
