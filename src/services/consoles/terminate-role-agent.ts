/**
 * Ends an agent in a role (AG3). It is TERMINATED when its process has ended or the time is over. A repeated request changes
 * nothing.
 */

import type { Detail } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { type RoleAgentRow, selectOccupant } from '../../store/consoles/user-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'
import { stopLaunch } from '../processes/launch-record.ts'
import { existingUserSession, moveRoleAgent, requireLocked, rosterStreams, type UserSessionLocks } from './role-agent-record.ts'

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

export const terminateRoleAgent = defineUseCase('terminate-role-agent', {
  streams: (input: Input) => rosterStreams(input),
  run: async (tx, { role, requestId, ...which }, context): Promise<Terminated> => {
    const { userSessionId } = which
    await existingUserSession(tx, userSessionId)
    const row = await tx.first(selectOccupant, { userSessionId, role })
    if (!row) return { roleAgentId: null, byOther: false }
    await leaveRole(tx, row, { ...which, reason: requestedReason, requestId }, context)
    return { roleAgentId: row.id, byOther: row.terminating_at !== null && row.terminate_request_id !== (requestId ?? null) }
  },
})

interface LeaveInput extends UserSessionLocks {
  readonly reason: Detail
  readonly requestId?: string | undefined
}

/** Ends one agent, for this use case and the end of a user session. */
export async function leaveRole(tx: Tx, row: RoleAgentRow, leaving: LeaveInput, context: Context): Promise<RoleAgentRow> {
  const { reason, requestId } = leaving
  const processLeft = (await stopProcessOf(tx, row, leaving, context)) && row.state !== 'FAILED'
  return (await moveRoleAgent(tx, row, { type: 'terminate', reason, processLeft }, { requestId }, context)).row
}

/** Stops the process. Returns whether one still runs; one that was only ordered ends at once. */
export async function stopProcessOf(tx: Tx, row: RoleAgentRow, which: UserSessionLocks, context: Context): Promise<boolean> {
  const launch = row.launch_id === null ? undefined : await findLaunch(tx, row.launch_id)
  if (!launch || launch.state === 'ended') return false
  requireLocked(which, launch.coordinatorId)
  const stopped = await stopLaunch(tx, launch, { reason: 'finished' }, context)
  return (stopped ?? launch).state !== 'ended'
}
