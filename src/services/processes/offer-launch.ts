/**
 * Begins a launch in the breath in which it is ordered (CO4): when its coordinator has room and nothing waits before it, it is taken at
 * once, so that the particulars follow the order and nobody has to ask for them. Run right behind the order, before that is answered:
 * the two share a commit. Where it does not come to that, nothing changes and the coordinator takes it when its turn has come.
 */
import { hasRoom } from '../../domain/processes/capacity.ts'
import type { LaunchOffer } from '../../protocol/processes/link.ts'
import { findLaunch, liveCountsOn } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { requireCurrentEpoch } from './coordinator-epoch.ts'
import { orderOf } from './launch-record.ts'
import { type SealedParticulars, type Take, takeLaunch } from './take-launch.ts'

/** Of an order: the id its launch gets, when it is offered too. */
export interface Offered {
  readonly offeredAs?: string | undefined
}

export interface Offer extends Take {
  /** Of a machine that says nothing of its own. */
  readonly maxConcurrent: number
}

type Begun = Pick<LaunchOffer, 'order'> & { readonly launch: SealedParticulars }

export const offerLaunch = defineUseCase({
  name: 'offer-launch',
  answersSecret: true,
  streams: (input: Offer) => takeLaunch.streams(input),
  run: async (tx, { maxConcurrent, ...take }, context): Promise<Begun | null> => {
    const launch = await findLaunch(tx, take.launchId)
    // The order was refused, was made before, or was not needed; or it has a turn already.
    if (launch?.state !== 'waiting') return null
    const { capacity } = await requireCurrentEpoch(tx, take)
    const order = await orderOf(tx, launch)
    const room = { ...order, maxConcurrent: capacity ?? maxConcurrent }
    if (!hasRoom(await liveCountsOn(tx, launch.coordinatorId), room)) return null
    const taken = await takeLaunch.run(tx, take, context)
    return 'withdrawn' in taken ? null : { order, launch: taken }
  },
})
