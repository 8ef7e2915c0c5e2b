/** Orders the end of a launch; what has not begun ends at once. Ordered again it changes nothing: the first reason stays. */
import type { LaunchEndReason } from '../domain/agent-process/lifecycle.ts'
import type { Process } from '../protocol/process.ts'
import { processOf } from '../store/queries/launches.ts'
import { defineUseCase } from '../store/store.ts'
import { existingLaunch, type WhichLaunch } from './existing-launch.ts'
import { launchStreams, stopLaunch } from './launch-record.ts'

export const orderStop = defineUseCase({
  name: 'order-stop',
  streams: (input: WhichLaunch & { reason: LaunchEndReason }) => launchStreams(input),
  run: async (tx, { reason, ...which }, context): Promise<Process> => {
    const launch = await existingLaunch(tx, which)
    return processOf((await stopLaunch(tx, launch, { reason }, context)) ?? launch)
  },
})
