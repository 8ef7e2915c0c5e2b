/** Takes, renews and gives up leases, by which one node of several runs a job. */
import { type Instant, later } from '../../domain/instant.ts'
import { defineUseCase } from '../../store/store.ts'
import { claimLease, deleteLease, selectLease } from '../../store/system/leases.ts'

/** Longer than anybody waits for the row of a lease: who comes first has read the clock later. */
const maxWaitMs = 60_000

interface Claim {
  readonly name: string
  readonly holder: string
  readonly forMs: number
}

/** A node takes a lease, or makes the one it has longer (SC5). Says whether it has it, and what time it is for all nodes. */
export const holdLease = defineUseCase({
  name: 'hold-lease',
  streams: () => [],
  run: async (tx, { name, holder, forMs }: Claim, { now }): Promise<{ held: boolean; now: Instant }> => {
    await tx.write(claimLease, { name, holder, now, until: later(now, forMs), never: later(now, forMs + maxWaitMs) })
    return { held: (await tx.first(selectLease, { name }))?.holder === holder, now }
  },
})

/** A node gives a lease back before it has run out, so that nobody waits for it (SC5). Another's stays. */
export const releaseLease = defineUseCase({
  name: 'release-lease',
  streams: () => [],
  run: async (tx, lease: { name: string; holder: string }): Promise<void> => tx.write(deleteLease, lease),
})
