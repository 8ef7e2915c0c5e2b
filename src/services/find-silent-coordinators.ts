/** The coordinators, and which of them nobody has heard of for too long (CO6). There are few: one on each machine. */
import { type Deaf, heardMs } from '../domain/heard-time.ts'
import type { Instant } from '../domain/instant.ts'
import { allCoordinators } from '../store/queries/coordinators.ts'
import { defineQuery } from '../store/store.ts'

interface Patience {
  readonly unreachableMs: number
  /** null: nobody takes over by the clock. */
  readonly takeoverMs: number | null
  readonly deaf: readonly Deaf[]
}

interface Silent {
  readonly all: readonly string[]
  readonly unreachable: readonly { readonly coordinatorId: string; readonly lastHeardAt: Instant }[]
  readonly lost: readonly string[]
}

export const findSilentCoordinators = defineQuery({
  name: 'find-silent-coordinators',
  run: async (reader, { unreachableMs, takeoverMs, deaf }: Patience, { now }): Promise<Silent> => {
    const rows = await allCoordinators(reader)
    const silentFor = (at: Instant): number => heardMs(at, now, deaf)
    return {
      all: rows.map(({ id }) => id),
      unreachable: rows
        .filter((row) => row.state === 'connected' && silentFor(row.last_heard_at) >= unreachableMs)
        .map((row) => ({ coordinatorId: row.id, lastHeardAt: row.last_heard_at })),
      lost: rows
        .filter((row) => row.state === 'unreachable' && takeoverMs !== null && silentFor(row.last_heard_at) >= takeoverMs)
        .map(({ id }) => id),
    }
  },
})
