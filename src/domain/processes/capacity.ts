/**
 * Whether a launch that was ordered just now would be begun at once by its coordinator (CO2). Pure. The coordinator counts by itself and
 * has the last word; this is what lets the order and its beginning be one commit where nothing has to wait.
 */

/** Launches of one coordinator that have not ended. */
export interface LiveLaunches {
  readonly agentId: string
  readonly state: 'waiting' | 'starting' | 'running'
  readonly count: number
}

export interface RoomFor {
  readonly agentId: string
  /** The agent's; none when null. */
  readonly maxProcesses: number | null
  /** The machine's. */
  readonly maxConcurrent: number
}

/** `live` counts the launch itself, which waits. Behind another that waits it has to wait too. */
export function hasRoom(live: readonly LiveLaunches[], { agentId, maxProcesses, maxConcurrent }: RoomFor): boolean {
  const many = (which: (launches: LiveLaunches) => boolean): number =>
    live.filter(which).reduce((sum, { count }) => sum + count, 0)
  if (many(({ state }) => state === 'waiting') > 1) return false
  const begun = ({ state }: LiveLaunches): boolean => state !== 'waiting'
  if (many(begun) >= maxConcurrent) return false
  return maxProcesses === null || many((each) => begun(each) && each.agentId === agentId) < maxProcesses
}
