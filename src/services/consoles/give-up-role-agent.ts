/**
 * Gives up on an agent that did not end when asked (US4), or was not ready in time (AG2). The latter fails and its process is
 * stopped. Running this too early or twice changes nothing.
 */

import { leavingWithinMs } from '../../domain/consoles/lifecycle.ts'
import { later } from '../../domain/instant.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import { setUpWithinMs } from '../../protocol/worktrees/worktree.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { setUpOf } from '../../store/worktrees/worktrees.ts'
import { settingsOf } from '../projects/project-record.ts'
import { moveRoleAgent, rosterStreams, type UserSessionLocks } from './role-agent-record.ts'
import { stopProcessOf } from './terminate-role-agent.ts'

/** Extra time for the coordinator's own report. */
export const graceMs = 5000

/** AG2: the time from workspace to readiness, plus the set-up of a new worktree (WT5). */
export async function startWithinMs(
  reader: Reader,
  projectId: string,
  launch: Pick<Launch, 'state'> | undefined,
  settings?: ProjectSettings,
): Promise<number> {
  const within = durationMs(settings ?? (await settingsOf(reader, projectId)), 'agent.start_timeout_seconds')
  const setsUp = launch?.state === 'starting' && ((await setUpOf(reader, projectId))?.command ?? null) !== null
  return within + (setsUp ? setUpWithinMs : 0)
}

interface Input extends UserSessionLocks {
  readonly roleAgentId: string
}

export const giveUpRoleAgent = defineUseCase('give-up-role-agent', {
  streams: (input: Input) => rosterStreams(input),
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
    const isStarting = row.state === 'SPAWNING' || (row.asleep_at !== null && launch?.stopReason === null)
    if (!isStarting || !launch?.startedAt || launch.state === 'ended' || later(launch.startedAt, within + graceMs) > now)
      return { gaveUp: false }
    const step = launch.state === 'running' ? 'initialize' : 'process'
    const error = `It was not ready within ${within / 1000} seconds`
    await moveRoleAgent(tx, row, { type: 'failed', step, error }, {}, context)
    await stopProcessOf(tx, row, which, context)
    return { gaveUp: true }
  },
})
