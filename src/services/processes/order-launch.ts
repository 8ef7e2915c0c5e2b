/** Orders launches and their ends. */
import { type LaunchEndReason, order } from '../../domain/processes/lifecycle.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import { userSessionStream } from '../../domain/stream-name.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { liveLaunchesOf, processOf } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { endRoleAgentOf } from '../consoles/role-agent-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import {
  existingLaunch,
  type LaunchLocks,
  launchStreams,
  moveLaunch,
  recordLaunch,
  sendOrder,
  startFactsOf,
  stopLaunch,
} from './launch-record.ts'
import type { OfferId } from './take-launch.ts'

interface Order extends Pair, OfferId {
  /** Chosen by `find-start`. */
  readonly coordinatorId: string
}

/**
 * Orders a launch if the pair needs one (CO3): it has work and no live session, no launch is outstanding, the agent can be
 * started, and a coordinator is connected. Decided under the project's lock, so that concurrent calls order one. After too many
 * failures the launch is held (CO7); a new message releases it.
 */
export const orderLaunch = defineUseCase('order-launch', {
  streams: (input: Order) => launchStreams(input),
  run: async (tx, { agentId, projectId, coordinatorId, offeredAs }, context): Promise<Process | null> => {
    const { now, random } = context
    // The coordinator disconnected since; the next check chooses another.
    if ((await findCoordinatorRow(tx, coordinatorId))?.state !== 'connected') return null
    const facts = await startFactsOf(tx, { agentId, projectId }, now)
    const decision = decideOrder(now, facts)
    if (decision.order === 'none') return null
    if (decision.order === 'release') {
      const released = facts.held && (await moveLaunch(tx, facts.held, { type: 'release', coordinatorId }, context))
      if (released) await sendOrder(tx, released)
      return released ? processOf(released) : null
    }
    const because = decision.order === 'hold' ? decision.because : null
    const launch = order(now, { id: offeredAs ?? random.uuid(), agentId, projectId, coordinatorId }, because)
    await recordLaunch(tx, launch)
    if (launch.state === 'waiting') await sendOrder(tx, launch, offeredAs !== undefined)
    return processOf(launch)
  },
})

/** Orders the end of a launch. One that has not begun ends at once. A repeated order keeps the first reason. */
export const orderStop = defineUseCase('order-stop', {
  streams: (input: LaunchLocks & { reason: LaunchEndReason }) => [
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

/** Releases an agent that was held after too many failed starts (CO7). Does nothing if it is not held. */
export const releaseAgent = defineUseCase('release-agent', {
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
