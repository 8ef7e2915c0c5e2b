/** Takes, renews and releases leases, by which one of several nodes runs a job. */
import { type Instant, later } from '../../domain/instant.ts'
import { defineUseCase } from '../../store/store.ts'
import { claimLease, deleteLease, selectLease } from '../../store/system/leases.ts'

/**
 * Longer than any wait for the lease's row: the transaction that gets it first may have read the
 * clock later.
 */
const maxWaitMs = 60_000

interface Claim {
  readonly name: string
  readonly holder: string
  readonly forMs: number
}

/**
 * Takes or extends a lease for a node (SC5). Returns whether the node holds it, and the store's
 * time.
 */
export const holdLease = defineUseCase('hold-lease', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (
    tx,
    { name, holder, forMs }: Claim,
    { now },
  ): Promise<{ held: boolean; now: Instant }> => {
    await tx.write(claimLease, {
      name,
      holder,
      now,
      until: later(now, forMs),
      never: later(now, forMs + maxWaitMs),
    })
    return { held: (await tx.first(selectLease, { name }))?.holder === holder, now }
  },
})

/** Releases a lease early, so that others need not wait (SC5). Another node's lease stays. */
export const releaseLease = defineUseCase('release-lease', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, lease: { name: string; holder: string }): Promise<void> =>
    tx.write(deleteLease, lease),
})
