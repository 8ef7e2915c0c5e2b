/**
 * Orders a launch if the pair needs one (CO3): there is work and no live session for it, no launch is outstanding, the agent can be
 * started and a coordinator is heard of. Decided behind the lock of the project's stream, so twenty at once order one. An agent
 * that has failed too often is held instead (CO7), and one that is held is let go by a new message.
 */
import { order } from '../../domain/processes/lifecycle.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { processOf } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { launchStreams, moveLaunch, recordLaunch, tellOrder } from './launch-record.ts'
import type { Offered } from './offer-launch.ts'
import { startFactsOf } from './start-facts.ts'

interface Order extends Pair, Offered {
  /** Chosen by `find-start`. */
  readonly coordinatorId: string
}

export const orderLaunch = defineUseCase({
  name: 'order-launch',
  streams: (input: Order) => launchStreams(input),
  run: async (tx, { agentId, projectId, coordinatorId, offeredAs }, context): Promise<Process | null> => {
    const { now, random } = context
    // It has gone since it was chosen; whoever looks next chooses another.
    if ((await findCoordinatorRow(tx, coordinatorId))?.state !== 'connected') return null
    const facts = await startFactsOf(tx, { agentId, projectId }, now)
    const decision = decideOrder(now, facts)
    if (decision.order === 'none') return null
    if (decision.order === 'release') {
      const released = facts.held && (await moveLaunch(tx, facts.held, { type: 'release', coordinatorId }, context))
      if (released) await tellOrder(tx, released)
      return released ? processOf(released) : null
    }
    const because = decision.order === 'hold' ? decision.because : null
    const launch = order(now, { id: offeredAs ?? random.uuid(), agentId, projectId, coordinatorId }, because)
    await recordLaunch(tx, launch)
    if (launch.state === 'waiting') await tellOrder(tx, launch, offeredAs !== undefined)
    return processOf(launch)
  },
})
