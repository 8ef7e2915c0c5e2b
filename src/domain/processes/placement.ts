/**
 * On which machine a process is started (SC4). Pure. Only those that have every label that is asked for; of these the one with the most
 * room for what it takes, so that a machine twice as large gets twice as many. When all are full, the orders wait at the one that is
 * least over.
 */
export interface Machine {
  readonly coordinatorId: string
  readonly labels: readonly string[]
  /** Processes that it is to run or runs. */
  readonly processes: number
  /** null: as many as everywhere. */
  readonly capacity: number | null
}

/** Of `coordinator.max_concurrent`, where a machine says nothing of its own; only the proportions count. */
const usualCapacity = 64

/** Of one machine. */
export const maxLabels = 32

/** Letters, digits, `.`, `_` and `-`; small ones only, so that nobody has to guess. */
export const labelForm = /^[a-z0-9][a-z0-9._-]{0,62}$/

export function placeOn(machines: readonly Machine[], asked: readonly string[]): string | undefined {
  const full = ({ processes, capacity }: Machine): number => processes / (capacity ?? usualCapacity)
  return machines
    .filter(({ labels }) => asked.every((label) => labels.includes(label)))
    .toSorted((a, b) => full(a) - full(b) || (a.coordinatorId < b.coordinatorId ? -1 : 1))[0]?.coordinatorId
}
