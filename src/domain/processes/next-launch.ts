/**
 * Which launch that waits for a machine begins next (CO2). Projects take turns: the one with the
 * fewest processes is next, of its launches the oldest, so that many sessions of one project keep
 * nobody else waiting. Pure.
 */
import type { Instant } from '../instant.ts'

/** Launches of an agent in a project on one machine that have not ended. */
export interface LiveLaunches {
  readonly agentId: string
  readonly projectId: string
  /** The agent's limit; null: none. */
  readonly maxProcesses: number | null
  readonly state: 'waiting' | 'starting' | 'running'
  readonly count: number
  /** When the oldest was ordered. */
  readonly oldest: Instant
}

/** Undefined where none waits, or whatever waits has no room. */
export function nextToBegin(
  live: readonly LiveLaunches[],
  maxConcurrent: number,
): LiveLaunches | undefined {
  const begun = live.filter(({ state }) => state !== 'waiting')
  const countOf = (isCounted: (launches: LiveLaunches) => boolean): number =>
    begun.filter(isCounted).reduce((sum, { count }) => sum + count, 0)
  if (countOf(() => true) >= maxConcurrent) return undefined
  const inProject = (id: string): number => countOf(({ projectId }) => projectId === id)
  return live
    .filter(({ state }) => state === 'waiting')
    .filter(
      ({ agentId, maxProcesses }) =>
        maxProcesses === null || countOf((each) => each.agentId === agentId) < maxProcesses,
    )
    .toSorted(
      (a, b) => inProject(a.projectId) - inProject(b.projectId) || (a.oldest < b.oldest ? -1 : 1),
    )[0]
}
