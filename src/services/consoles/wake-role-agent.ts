/**
 * Starts a sleeping agent again for its queued prompts (AG7): a new process in the same role, workplace and context. Does
 * nothing if it is awake or nothing is queued.
 */
import { order } from '../../domain/processes/lifecycle.ts'
import { selectRoleAgent, updateRoleAgent } from '../../store/consoles/role-agents.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { selectContextOf } from '../../store/turns/contexts.ts'
import { selectOpenTurns } from '../../store/turns/turns.ts'
import { recordLaunch, sendOrder } from '../processes/launch-record.ts'
import { roleContextKey } from '../turns/context-record.ts'
import type { FoundUserSession } from './queries.ts'
import { rosterStreams } from './user-session-record.ts'

interface Input extends FoundUserSession {
  readonly roleAgentId: string
}

export const wakeRoleAgent = defineUseCase({
  name: 'wake-role-agent',
  streams: (input: Input) => rosterStreams(input),
  run: async (tx, { roleAgentId, startOn, projectId }, { now, random }): Promise<{ woken: boolean }> => {
    const row = await tx.first(selectRoleAgent, { id: roleAgentId })
    const before = row?.launch_id ? await findLaunch(tx, row.launch_id) : undefined
    const isAsleep = row?.state === 'ACTIVE' && row.asleep_at !== null && row.terminating_at === null
    if (!isAsleep || before?.state !== 'ended' || startOn === null) return { woken: false }
    if ((await tx.all(selectOpenTurns, { roleAgentId })).length === 0) return { woken: false }
    if ((await findCoordinatorRow(tx, startOn))?.state !== 'connected') return { woken: false }
    const { agent_id: agentId } = row
    const launch = order(now, { id: random.uuid(), agentId, projectId, coordinatorId: startOn, roleAgentId }, null)
    const knew = await tx.first(selectContextOf, roleContextKey(row))
    await tx.write(updateRoleAgent, { ...row, launch_id: launch.id, load_acp_session_id: knew?.acp_session_id ?? null })
    await recordLaunch(tx, launch)
    await sendOrder(tx, launch)
    return { woken: true }
  },
})
