/**
 * Puts an idle agent of an unattended console to sleep after the soft time-out of chats (AG7). Its process ends; its role and
 * context stay, and the next prompt wakes it. Running this too early or twice changes nothing.
 */
import { epochMs, type Instant } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/duration.ts'
import { type RoleAgentRow, selectRoleAgent } from '../../store/consoles/role-agents.ts'
import { selectUserSession } from '../../store/consoles/user-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { selectOpenTurns } from '../../store/turns/turns.ts'
import { stopLaunch } from '../processes/launch-record.ts'
import { settingsOf } from '../projects/project-record.ts'
import { roleContextKey } from '../turns/context-record.ts'
import { currentLimit } from '../turns/limit-record.ts'
import { moveRoleAgent } from './role-agent-record.ts'
import { requireLocked, rosterStreams, type UserSessionLocks } from './user-session-record.ts'

/** Whether the agent is ready and has no open turns for long enough. */
export async function isIdle(reader: Reader, row: RoleAgentRow, now: Instant): Promise<boolean> {
  if (row.state !== 'ACTIVE' || row.asleep_at !== null || row.terminating_at !== null) return false
  const patienceMs = durationMs(await settingsOf(reader, row.project_id), 'chat.soft_timeout_minutes')
  const userSession = await reader.first(selectUserSession, { id: row.user_session_id })
  const since = [row.last_active_at, userSession?.attached_until ?? now].reduce((a, b) => (a > b ? a : b))
  if (epochMs(now) - epochMs(since) < patienceMs) return false
  if ((await reader.all(selectOpenTurns, { roleAgentId: row.id })).length > 0) return false
  return (await currentLimit(reader, roleContextKey(row))) === undefined
}

export const sleepRoleAgent = defineUseCase({
  name: 'sleep-role-agent',
  streams: (input: UserSessionLocks & { roleAgentId: string }) => rosterStreams(input),
  run: async (tx, { roleAgentId, ...which }, context): Promise<{ slept: boolean }> => {
    const row = await tx.first(selectRoleAgent, { id: roleAgentId })
    const launch = row?.launch_id ? await findLaunch(tx, row.launch_id) : undefined
    if (!row || launch?.state !== 'running' || launch.stopReason !== null || !(await isIdle(tx, row, context.now)))
      return { slept: false }
    requireLocked(which, launch.coordinatorId)
    await moveRoleAgent(tx, row, { type: 'sleep' }, {}, context)
    await stopLaunch(tx, launch, { reason: 'idle' }, context)
    return { slept: true }
  },
})
