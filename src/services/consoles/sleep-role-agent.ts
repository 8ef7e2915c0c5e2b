/** Puts idle agents in roles to sleep and wakes them (AG7). */
import { epochMs, type Instant } from '../../domain/instant.ts'
import { order } from '../../domain/processes/lifecycle.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { selectContextOf } from '../../store/turns/contexts.ts'
import { selectOpenTurns } from '../../store/turns/turns.ts'
import { recordLaunch, sendOrder, stopLaunch } from '../processes/launch-record.ts'
import { settingsOf } from '../projects/project-record.ts'
import { roleContextKey } from '../turns/context-record.ts'
import { currentLimit } from '../turns/limit-record.ts'
import type { FoundUserSession } from './queries.ts'
import { moveRoleAgent, requireLocked, rosterStreams, type UserSessionLocks } from './role-agent-record.ts'

/** Whether the agent is ready and has no open turns for long enough. */
export async function isIdle(reader: Reader, row: RoleAgentRow, now: Instant): Promise<boolean> {
  if (row.state !== 'ACTIVE' || row.asleep_at !== null || row.terminating_at !== null) return false
  const patienceMs = durationMs(await settingsOf(reader, row.project_id), 'chat.soft_timeout_minutes')
  const userSession = await reader.row('user_sessions', { id: row.user_session_id })
  const since = [row.last_active_at, userSession?.attached_until ?? now].reduce((a, b) => (a > b ? a : b))
  if (epochMs(now) - epochMs(since) < patienceMs) return false
  if ((await reader.all(selectOpenTurns, { roleAgentId: row.id })).length > 0) return false
  return (await currentLimit(reader, roleContextKey(row))) === undefined
}

/**
 * Puts an idle agent of an unattended console to sleep after the soft time-out of chats (AG7). Its process ends; its role and
 * context stay, and the next prompt wakes it. Running this too early or twice changes nothing.
 */
export const sleepRoleAgent = defineUseCase('sleep-role-agent', {
  streams: (input: UserSessionLocks & { roleAgentId: string }) => rosterStreams(input),
  run: async (tx, { roleAgentId, ...which }, context): Promise<{ slept: boolean }> => {
    const row = await tx.row('role_agents', { id: roleAgentId })
    const launch = row?.launch_id ? await findLaunch(tx, row.launch_id) : undefined
    if (!row || launch?.state !== 'running' || launch.stopReason !== null || !(await isIdle(tx, row, context.now)))
      return { slept: false }
    requireLocked(which, launch.coordinatorId)
    await moveRoleAgent(tx, row, { type: 'sleep' }, {}, context)
    await stopLaunch(tx, launch, { reason: 'idle' }, context)
    return { slept: true }
  },
})

interface Input extends FoundUserSession {
  readonly roleAgentId: string
}

/**
 * Starts a sleeping agent again for its queued prompts (AG7): a new process in the same role, workplace and context. Does
 * nothing if it is awake or nothing is queued.
 */
export const wakeRoleAgent = defineUseCase('wake-role-agent', {
  streams: (input: Input) => rosterStreams(input),
  run: async (tx, { roleAgentId, startOn, projectId }, { now, random }): Promise<{ woken: boolean }> => {
    const row = await tx.row('role_agents', { id: roleAgentId })
    const before = row?.launch_id ? await findLaunch(tx, row.launch_id) : undefined
    const isAsleep = row?.state === 'ACTIVE' && row.asleep_at !== null && row.terminating_at === null
    if (!isAsleep || before?.state !== 'ended' || startOn === null) return { woken: false }
    if ((await tx.all(selectOpenTurns, { roleAgentId })).length === 0) return { woken: false }
    if ((await findCoordinatorRow(tx, startOn))?.state !== 'connected') return { woken: false }
    const { agent_id: agentId } = row
    const launch = order(now, { id: random.uuid(), agentId, projectId, coordinatorId: startOn, roleAgentId }, null)
    const knew = await tx.first(selectContextOf, roleContextKey(row))
    await tx.update('role_agents', { ...row, launch_id: launch.id, load_acp_session_id: knew?.acp_session_id ?? null })
    await recordLaunch(tx, launch)
    await sendOrder(tx, launch)
    return { woken: true }
  },
})
