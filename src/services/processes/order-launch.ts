/**
 * Orders a launch if the pair needs one (CO3): it has work and no live session, no launch is outstanding, the agent can be
 * started, and a coordinator is connected. Decided under the project's lock, so that concurrent calls order one. After too many
 * failures the launch is held (CO7); a new message releases it.
 */
import { order } from '../../domain/processes/lifecycle.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { processOf } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { launchStreams, moveLaunch, recordLaunch, sendOrder } from './launch-record.ts'
import type { OfferId } from './offer-launch.ts'
import { startFactsOf } from './start-facts.ts'

interface Order extends Pair, OfferId {
  /** Chosen by `find-start`. */
  readonly coordinatorId: string
}

export const orderLaunch = defineUseCase({
  name: 'order-launch',
  streams: (input: Order) => launchStreams(input),
  run: async (tx, { agentId, projectId, coordinatorId, offeredAs }, context): Promise<Process | null> => {
    const { now, random } = context
    // It disconnected since; the next check chooses another.
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
