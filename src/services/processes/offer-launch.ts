/**
 * Starts a launch together with its order (CO4). If the coordinator has capacity and nothing waits before it, the particulars
 * are sent with the order, in the same commit. Otherwise nothing changes and the coordinator takes the launch later.
 */
import { hasCapacity } from '../../domain/processes/capacity.ts'
import type { LaunchOffer } from '../../protocol/processes/link.ts'
import { findLaunch, liveCountsOn } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { requireCurrentEpoch } from './coordinator-epoch.ts'
import { orderOf } from './launch-record.ts'
import { type SealedParticulars, type Take, takeLaunch } from './take-launch.ts'

/** The id of the new launch, when it is offered too. */
export interface OfferId {
  readonly offeredAs?: string | undefined
}

export interface Offer extends Take {
  /** For a machine without a capacity of its own. */
  readonly maxConcurrent: number
}

type OfferedLaunch = Pick<LaunchOffer, 'order'> & { readonly launch: SealedParticulars }

export const offerLaunch = defineUseCase({
  name: 'offer-launch',
  answersSecret: true,
  streams: (input: Offer) => takeLaunch.streams(input),
  run: async (tx, { maxConcurrent, ...take }, context): Promise<OfferedLaunch | null> => {
    const launch = await findLaunch(tx, take.launchId)
    // The order was refused, repeated or not needed, or the launch was already taken.
    if (launch?.state !== 'waiting') return null
    const { capacity } = await requireCurrentEpoch(tx, take)
    const order = await orderOf(tx, launch)
    const room = { ...order, maxConcurrent: capacity ?? maxConcurrent }
    if (!hasCapacity(await liveCountsOn(tx, launch.coordinatorId), room)) return null
    const taken = await takeLaunch.run(tx, take, context)
    return 'withdrawn' in taken ? null : { order, launch: taken }
  },
})
