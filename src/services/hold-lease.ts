/** A node takes a lease, or makes the one it has longer (SC5). Says whether it has it, and what time it is for all nodes. */
import { type Instant, later } from '../domain/instant.ts'
import { claimLease, selectLease } from '../store/queries/leases.ts'
import { defineUseCase } from '../store/store.ts'

/** Longer than anybody waits for the row of a lease: who comes first has read the clock later. */
const longestWaitMs = 60_000

interface Claim {
  readonly name: string
  readonly holder: string
  readonly forMs: number
}

export const holdLease = defineUseCase({
  name: 'hold-lease',
  streams: () => [],
  run: async (tx, { name, holder, forMs }: Claim, { now }): Promise<{ held: boolean; now: Instant }> => {
    await tx.write(claimLease, { name, holder, now, until: later(now, forMs), never: later(now, forMs + longestWaitMs) })
    return { held: (await tx.first(selectLease, { name }))?.holder === holder, now }
  },
})
