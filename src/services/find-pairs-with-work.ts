/** The pairs that may need a process: of a project, of an agent, or all of them, a page at a time. */
import { pendingPurposeLifetimeMs } from '../domain/agent-session/work-detection.ts'
import { later } from '../domain/instant.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { connectedCoordinators } from '../store/queries/coordinators.ts'
import { type PairsFilter, pairsWithWork } from '../store/queries/pairs-with-work.ts'
import { defineQuery } from '../store/store.ts'

/** In one read. */
export const pairsAtOnce = 200

export const findPairsWithWork = defineQuery({
  name: 'find-pairs-with-work',
  run: async (reader, { after, ...filter }: PairsFilter & { after?: Pair | undefined }, { now }): Promise<Pair[]> => {
    // Nobody could start anything.
    if ((await connectedCoordinators(reader)).length === 0) return []
    const openedAfter = later(now, -pendingPurposeLifetimeMs)
    return pairsWithWork(reader, filter, after, { openedAfter, limit: pairsAtOnce })
  },
})
