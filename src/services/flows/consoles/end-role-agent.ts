/** Ends agents in roles: when they are asked to, and when they do not begin or end in time. */

import { leavingWithinMs } from '../../../domain/consoles/lifecycle.ts'
import { later } from '../../../domain/instant.ts'
import type { Detail } from '../../../domain/notices.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { projectStream, userSessionStream } from '../../../domain/stream-name.ts'
import { type RoleAgentRow, selectOccupant } from '../../../store/consoles/user-sessions.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import {
  type AskedUserSession,
  graceMs,
  lockUserSession,
  startWithinMs,
} from '../../consoles/role-agent-record.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { moveRoleAgent } from './move-role-agent.ts'

export const requestedReason = statusNotice('userRequested')

interface Input extends AskedUserSession {
  readonly role: string
  readonly requestId?: string | undefined
}

/** `roleAgentId` is null if the role is free. `byOther`: an earlier request gets the event. */
interface Terminated {
  readonly roleAgentId: string | null
  readonly byOther: boolean
}

/**
 * Ends an agent in a role (AG3): TERMINATED when its process has ended or the time is over.
 * Repeating changes nothing.
 */
export const terminateRoleAgent = defineUseCase('terminate-role-agent', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId }: Input) => [userSessionStream(userSessionId)],
  run: async (tx, { role, requestId, ...asked }, context): Promise<Terminated> => {
    const { id: userSessionId } = await lockUserSession(tx, asked)
    const row = await tx.first(selectOccupant, { userSessionId, role })
    if (!row) return { roleAgentId: null, byOther: false }
    await leaveRole(tx, row, { reason: requestedReason, requestId }, context)
    return {
      roleAgentId: row.id,
      byOther: row.terminating_at !== null && row.terminate_request_id !== (requestId ?? null),
    }
  },
})

interface LeaveInput {
  readonly reason: Detail
  readonly requestId?: string | undefined
}

/** Ends one agent, for this use case and the end of a user session. */
export async function leaveRole(
  tx: Tx,
  row: RoleAgentRow,
  { reason, requestId }: LeaveInput,
  context: Context,
): Promise<RoleAgentRow> {
  const processLeft = (await stopProcessOf(tx, row, context)) && row.state !== 'FAILED'
  return (
    await moveRoleAgent(tx, row, { type: 'terminate', reason, processLeft }, { requestId }, context)
  ).row
}

/** Stops the process. Returns whether one still runs; one that was only ordered ends at once. */
export async function stopProcessOf(tx: Tx, row: RoleAgentRow, context: Context): Promise<boolean> {
  tx.lock(projectStream(row.project_id))
  const launch = row.launch_id === null ? undefined : await findLaunch(tx, row.launch_id)
  if (!launch || launch.state === 'ended') return false
  const stopped = await stopLaunch(tx, launch, { reason: 'finished' }, context)
  return (stopped ?? launch).state !== 'ended'
}

interface RoleAgentPlace {
  readonly userSessionId: string
  readonly roleAgentId: string
}

/**
 * Gives up on an agent that did not end when asked (US4), or was not ready in time (AG2). The
 * latter fails and its process is stopped. Running this too early or twice changes nothing.
 */
export const giveUpRoleAgent = defineUseCase('give-up-role-agent', {
  scope: 'server',
  on: 'nobody',
  streams: ({ userSessionId }: RoleAgentPlace) => [userSessionStream(userSessionId)],
  run: async (tx, { userSessionId, roleAgentId }, context): Promise<{ gaveUp: boolean }> => {
    const row = await tx.row('role_agents', { id: roleAgentId })
    if (row?.user_session_id !== userSessionId) return { gaveUp: false }
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
    await stopProcessOf(tx, row, context)
    return { gaveUp: true }
  },
})
