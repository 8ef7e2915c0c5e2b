/** Orders the end of a process at a person's wish, or ends at once one that has not begun. */

import type { LaunchEndReason } from '../../../domain/processes/lifecycle.ts'
import { home } from '../../../domain/stream-name.ts'
import type { Process } from '../../../protocol/processes/process.ts'
import { processOf } from '../../../store/processes/launches.ts'
import { defineUseCase } from '../../../store/store.ts'
import { lockLaunch, stopLaunch } from '../../processes/launch-record.ts'
import { endRoleAgentOf } from '../consoles/move-role-agent.ts'

interface Stop {
  readonly launchId: string
  readonly reason: LaunchEndReason
}

/**
 * Orders the end of a launch. One that has not begun ends at once. A repeated order keeps the first
 * reason.
 */
export const orderStop = defineUseCase('order-stop', {
  scope: 'manage',
  on: 'process',
  streams: (_: Stop) => [home],
  run: async (tx, { launchId, reason }, context): Promise<Process> => {
    const launch = await lockLaunch(tx, launchId)
    const stopped = await stopLaunch(tx, launch, { reason }, context)
    if (stopped?.state === 'ended') await endRoleAgentOf(tx, stopped, context)
    return processOf(stopped ?? launch)
  },
})
