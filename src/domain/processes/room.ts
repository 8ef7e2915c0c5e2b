/**
 * Which processes go so that others can begin, where a machine or an agent may have no more: idle
 * ones, first those of sessions that nobody has open, then those longest unused. Pure.
 */
import type { Instant } from '../instant.ts'

export interface ProcessOnMachine {
  readonly launchId: string
  readonly agentId: string
  /** null: any number. */
  readonly maxProcesses: number | null
  /** `leaving`: told to go, and its place is not free before it has. */
  readonly is: 'waiting' | 'leaving' | 'busy' | 'idle'
  readonly idleSince: Instant
  /** The common ones of an agent are kept longest, then sessions that somebody has open. */
  readonly keptFor: 'nobody' | 'panel' | 'all'
}

const order = ['nobody', 'panel', 'all'] as const

const byUse = (one: ProcessOnMachine, other: ProcessOnMachine): number =>
  order.indexOf(one.keptFor) - order.indexOf(other.keptFor) ||
  (one.idleSince < other.idleSince ? -1 : 1)

/** How many of the waiting ones find no place, though all that leave have left. */
function lacking(processes: readonly ProcessOnMachine[], most: number): number {
  const count = (is: ProcessOnMachine['is']): number =>
    processes.filter((each) => each.is === is).length
  const staying = count('busy') + count('idle')
  return count('waiting') - Math.max(0, most - staying)
}

/** The launches to be stopped now. */
export function stoppedForOthers(
  processes: readonly ProcessOnMachine[],
  maxConcurrent: number,
): string[] {
  const stopped = new Set<string>()
  const stop = (some: readonly ProcessOnMachine[], most: number): void => {
    const left = some.map((each) =>
      stopped.has(each.launchId) ? { ...each, is: 'leaving' as const } : each,
    )
    const idle = left.filter((each) => each.is === 'idle').toSorted(byUse)
    for (const { launchId } of idle.slice(0, Math.max(0, lacking(left, most))))
      stopped.add(launchId)
  }
  for (const [, ofAgent] of Map.groupBy(processes, ({ agentId }) => agentId)) {
    const most = ofAgent[0]?.maxProcesses ?? null
    if (most !== null) stop(ofAgent, most)
  }
  stop(processes, maxConcurrent)
  return [...stopped]
}
