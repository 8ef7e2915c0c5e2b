/**
 * Chooses the machine for a process (SC4): among those with all requested labels, the one with the lowest load relative to its
 * capacity. When all are full, launches wait on the least loaded. Pure.
 */

export interface Machine {
  readonly coordinatorId: string
  readonly labels: readonly string[]
  /** Running and ordered processes. */
  readonly processes: number
  /** null: the default. */
  readonly capacity: number | null
}

/** Used in place of `coordinator.max_concurrent` for machines without a capacity; only proportions matter. */
const usualCapacity = 64

/** Per machine. */
export const maxLabels = 32

/** Lower-case letters, digits, `.`, `_` and `-`. */
export const labelForm = /^[a-z0-9][a-z0-9._-]{0,62}$/

export function chooseMachine(machines: readonly Machine[], asked: readonly string[]): string | undefined {
  const full = ({ processes, capacity }: Machine): number => processes / (capacity ?? usualCapacity)
  return machines
    .filter(({ labels }) => asked.every((label) => labels.includes(label)))
    .toSorted((a, b) => full(a) - full(b) || (a.coordinatorId < b.coordinatorId ? -1 : 1))[0]?.coordinatorId
}

// Whether a new launch would start at once on its coordinator (CO2), so that order and start can share a commit. The
// coordinator counts by itself and decides. Pure.

/** Launches of one coordinator that have not ended. */
export interface LiveLaunches {
  readonly agentId: string
  readonly state: 'waiting' | 'starting' | 'running'
  readonly count: number
}

export interface LaunchLimits {
  readonly agentId: string
  /** The agent's limit; null: none. */
  readonly maxProcesses: number | null
  readonly maxConcurrent: number
}

/** `live` includes the waiting launch itself. Behind another waiting launch it must wait. */
export function hasCapacity(live: readonly LiveLaunches[], { agentId, maxProcesses, maxConcurrent }: LaunchLimits): boolean {
  const countOf = (which: (launches: LiveLaunches) => boolean): number =>
    live.filter(which).reduce((sum, { count }) => sum + count, 0)
  if (countOf(({ state }) => state === 'waiting') > 1) return false
  const begun = ({ state }: LiveLaunches): boolean => state !== 'waiting'
  if (countOf(begun) >= maxConcurrent) return false
  return maxProcesses === null || countOf((each) => begun(each) && each.agentId === agentId) < maxProcesses
}
