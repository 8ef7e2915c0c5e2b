/** Releases an agent that was held after too many failed starts (CO7). Does nothing if it is not held. */
import type { Process } from '../../protocol/processes/process.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { liveLaunchesOf, processOf } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { launchStreams, moveLaunch, sendOrder } from './launch-record.ts'

export const releaseAgent = defineUseCase({
  name: 'release-agent',
  /** `coordinatorId`: from `find-held-launch`. */
  streams: (input: Pair & { coordinatorId: string }) => launchStreams(input),
  run: async (tx, { coordinatorId, ...pair }, context): Promise<{ process: Process | null }> => {
    await checkAssigned(tx, pair)
    const held = (await liveLaunchesOf(tx, pair)).find(({ state }) => state === 'held')
    const released = held && (await moveLaunch(tx, held, { type: 'release', coordinatorId }, context))
    if (!released) return { process: null }
    await sendOrder(tx, released)
    return { process: processOf(released) }
  },
})
