/** Ends agents in roles: when they are asked to, and when they do not begin or end in time. */

import { leavingWithinMs } from '../../domain/consoles/lifecycle.ts'
import { later } from '../../domain/instant.ts'
import type { Detail } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { type RoleAgentRow, selectOccupant } from '../../store/consoles/user-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'
import {
  existingUserSession,
  graceMs,
  requireLocked,
  rosterStreams,
  startWithinMs,
  type UserSessionLocks,
} from '../consoles/role-agent-record.ts'
import { stopLaunch } from '../processes/launch-record.ts'
import { moveRoleAgent } from './move-role-agent.ts'

export const requestedReason = statusNotice('userRequested')

interface Input extends UserSessionLocks {
  readonly role: string
  readonly requestId?: string | undefined
}

/** `roleAgentId` is null if the role is free. `byOther`: an earlier request gets the event. */
interface Terminated {
  readonly roleAgentId: string | null
  readonly byOther: boolean
}

/** Ends an agent in a role (AG3): TERMINATED when its process has ended or the time is over. Repeating changes nothing. */
export const terminateRoleAgent = defineUseCase('terminate-role-agent', {
  streams: (input: Input) => rosterStreams(input),
  run: async (tx, { role, requestId, ...which }, context): Promise<Terminated> => {
    const { userSessionId } = which
    await existingUserSession(tx, userSessionId)
    const row = await tx.first(selectOccupant, { userSessionId, role })
    if (!row) return { roleAgentId: null, byOther: false }
    await leaveRole(tx, row, { ...which, reason: requestedReason, requestId }, context)
    return {
      roleAgentId: row.id,
      byOther: row.terminating_at !== null && row.terminate_request_id !== (requestId ?? null),
    }
  },
})

interface LeaveInput extends UserSessionLocks {
  readonly reason: Detail
  readonly requestId?: string | undefined
}

/** Ends one agent, for this use case and the end of a user session. */
export async function leaveRole(
  tx: Tx,
  row: RoleAgentRow,
  leaving: LeaveInput,
  context: Context,
): Promise<RoleAgentRow> {
  const { reason, requestId } = leaving
  const processLeft = (await stopProcessOf(tx, row, leaving, context)) && row.state !== 'FAILED'
  return (
    await moveRoleAgent(tx, row, { type: 'terminate', reason, processLeft }, { requestId }, context)
  ).row
}

/** Stops the process. Returns whether one still runs; one that was only ordered ends at once. */
export async function stopProcessOf(
  tx: Tx,
  row: RoleAgentRow,
  which: UserSessionLocks,
  context: Context,
): Promise<boolean> {
  const launch = row.launch_id === null ? undefined : await findLaunch(tx, row.launch_id)
  if (!launch || launch.state === 'ended') return false
  requireLocked(which, launch.coordinatorId)
  const stopped = await stopLaunch(tx, launch, { reason: 'finished' }, context)
  return (stopped ?? launch).state !== 'ended'
}

interface GiveUpRoleAgentInput extends UserSessionLocks {
  readonly roleAgentId: string
}

/**
 * Gives up on an agent that did not end when asked (US4), or was not ready in time (AG2). The latter fails and its process is
 * stopped. Running this too early or twice changes nothing.
 */
export const giveUpRoleAgent = defineUseCase('give-up-role-agent', {
  streams: (input: GiveUpRoleAgentInput) => rosterStreams(input),
  run: async (tx, { roleAgentId, ...which }, context): Promise<{ gaveUp: boolean }> => {
    const row = await tx.row('role_agents', { id: roleAgentId })
    if (row?.user_session_id !== which.userSessionId) return { gaveUp: false }
    const { now } = context
    if (row.terminating_at !== null) {
      if (later(row.terminating_at, leavingWithinMs) > now) return { gaveUp: false }
      const { decision } = await moveRoleAgent(tx, row, { type: 'gave-up' }, {}, context)
      return { gaveUp: decision.became === 'terminated' }
    }
    const launch = row.launch_id === null ? undefined : await findLaunch(tx, row.launch_id)
    const within = await startWithinMs(tx, row.project_id, launch)
    const isStarting =
      row.state === 'SPAWNING' || (row.asleep_at !== null && launch?.stopReason === null)
    if (
      !isStarting ||
      !launch?.startedAt ||
      launch.state === 'ended' ||
      later(launch.startedAt, within + graceMs) > now
    )
      return { gaveUp: false }
    const step = launch.state === 'running' ? 'initialize' : 'process'
    const error = `It was not ready within ${within / 1000} seconds`
    await moveRoleAgent(tx, row, { type: 'failed', step, error }, {}, context)
    await stopProcessOf(tx, row, which, context)
    return { gaveUp: true }
  },
})
