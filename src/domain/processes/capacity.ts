/**
 * Whether a new launch would start at once on its coordinator (CO2), so that order and start can share a commit. The coordinator
 * counts by itself and decides. Pure.
 */

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
  /** The machine's limit. */
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
