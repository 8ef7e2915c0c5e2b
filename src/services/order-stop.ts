/** Orders the end of a launch; what has not begun ends at once. Ordered again it changes nothing: the first reason stays. */
import type { LaunchEndReason } from '../domain/agent-process/lifecycle.ts'
import { userSessionStream } from '../domain/stream/name.ts'
import type { Process } from '../protocol/process.ts'
import { processOf } from '../store/queries/launches.ts'
import { defineUseCase } from '../store/store.ts'
import { existingLaunch, type WhichLaunch } from './existing-launch.ts'
import { launchStreams, stopLaunch } from './launch-record.ts'
import { endRoleAgentOf } from './role-agent-record.ts'

export const orderStop = defineUseCase({
  name: 'order-stop',
  streams: (input: WhichLaunch & { reason: LaunchEndReason }) => [
    ...launchStreams(input),
    ...(input.userSessionId === null ? [] : [userSessionStream(input.userSessionId)]),
  ],
  run: async (tx, { reason, ...which }, context): Promise<Process> => {
    const launch = await existingLaunch(tx, which)
    const stopped = await stopLaunch(tx, launch, { reason }, context)
    if (stopped?.state === 'ended') await endRoleAgentOf(tx, stopped, context)
    return processOf(stopped ?? launch)
  },
})
