/**
 * Reads and locks user sessions and the agents in their roles, and announces the end of a user
 * session (US4).
 */

import { type ConsoleRefusal, mayPrompt } from '../../domain/consoles/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { epochMs, type Instant } from '../../domain/instant.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import { projectStream, userSessionStream } from '../../domain/stream-name.ts'
import { setUpWithinMs } from '../../protocol/worktrees/worktree.ts'
import {
  lifeOf,
  type RoleAgentRow,
  selectOccupant,
  selectOccupants,
  type UserSessionRow,
} from '../../store/consoles/user-sessions.ts'
import { noticeFrom } from '../../store/fields.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { selectOpenTurns } from '../../store/turns/turns.ts'
import { setUpOf } from '../../store/worktrees/worktrees.ts'
import { settingsOf } from '../projects/project-record.ts'
import { noSuchUserSession } from '../refusals.ts'
import { roleContextKey } from '../turns/context-record.ts'
import { currentLimit } from '../turns/limit-record.ts'

/** A user session as it is asked for. */
export interface AskedUserSession {
  readonly userSessionId: string
}

export const rosterRefusal = ({ refused, because }: ConsoleRefusal): Refusal =>
  new Refusal(refused, because)

export async function existingUserSession(
  reader: Reader,
  { userSessionId }: AskedUserSession,
): Promise<UserSessionRow> {
  const row = await reader.row('user_sessions', { id: userSessionId })
  if (!row) throw noSuchUserSession(userSessionId)
  return row
}

/**
 * The user session, locked: its agents, their turns and their contexts are decided under its lock.
 */
export async function lockUserSession(tx: Tx, wanted: AskedUserSession): Promise<UserSessionRow> {
  tx.lock(userSessionStream(wanted.userSessionId))
  return existingUserSession(tx, wanted)
}

/** The agent in a role, if it accepts prompts now. */
export async function activeAgent(
  tx: Tx,
  wanted: AskedUserSession,
  role: string,
): Promise<RoleAgentRow> {
  const { id: userSessionId, state } = await lockUserSession(tx, wanted)
  const agent = await tx.first(selectOccupant, { userSessionId, role })
  const refused = mayPrompt(state, agent && lifeOf(agent))
  if (refused || !agent) throw rosterRefusal(refused ?? { refused: 'agent_not_active' })
  return agent
}

/** The agent in a role, if it accepts prompts now, and its process. */
export async function activeProcess(
  tx: Tx,
  wanted: AskedUserSession,
  role: string,
): Promise<{ agent: RoleAgentRow; launch: Launch }> {
  const agent = await activeAgent(tx, wanted, role)
  const launch = agent.launch_id ? await findLaunch(tx, agent.launch_id) : undefined
  if (!launch) throw rosterRefusal({ refused: 'agent_not_active' })
  return { agent, launch }
}

/** Announces the end of a terminated user session once no agent is left. */
export async function announceEndIfEmpty(tx: Tx, userSessionId: string): Promise<void> {
  const row = await lockUserSession(tx, { userSessionId })
  if (row.terminated_at === null || row.closed_seq !== null) return
  if ((await tx.all(selectOccupants, { userSessionId })).length > 0) return
  const requestId = row.terminate_request_id ?? undefined
  const reason = row.terminate_reason ?? ''
  const notice = noticeFrom(row.notice)
  const data = {
    reason,
    ...(notice && { notice }),
    agentsTerminated: row.agents_terminated,
    requestId,
  }
  const closed_seq = tx.append(
    userSessionStream(userSessionId),
    { type: 'session:terminated', data },
    [projectStream(row.project_id)],
  )
  await tx.update('user_sessions', { id: userSessionId, closed_seq })
}

/** Extra time for the coordinator's own report. */
export const graceMs = 5000

/** AG2: the time from workspace to readiness, plus the set-up of a new worktree (WT5). */
export async function startWithinMs(
  reader: Reader,
  projectId: string,
  launch: Pick<Launch, 'state'> | undefined,
  settings?: ProjectSettings,
): Promise<number> {
  const within = durationMs(
    settings ?? (await settingsOf(reader, projectId)),
    'agent.start_timeout_seconds',
  )
  const setsUp =
    launch?.state === 'starting' && ((await setUpOf(reader, projectId))?.command ?? null) !== null
  return within + (setsUp ? setUpWithinMs : 0)
}

// Puts idle agents in roles to sleep and wakes them (AG7).

/** Whether the agent is ready and has no open turns for long enough. */
export async function isIdle(reader: Reader, row: RoleAgentRow, now: Instant): Promise<boolean> {
  if (row.state !== 'ACTIVE' || row.asleep_at !== null || row.terminating_at !== null) return false
  const patienceMs = durationMs(
    await settingsOf(reader, row.project_id),
    'chat.soft_timeout_minutes',
  )
  const userSession = await reader.row('user_sessions', { id: row.user_session_id })
  const since = [row.last_active_at, userSession?.attached_until ?? now].reduce((a, b) =>
    a > b ? a : b,
  )
  if (epochMs(now) - epochMs(since) < patienceMs) return false
  if ((await reader.all(selectOpenTurns, { roleAgentId: row.id })).length > 0) return false
  return (await currentLimit(reader, roleContextKey(row))) === undefined
}
