/** An order drawn from a seed: the same words give the same order, on every machine. */
import { createHash } from 'node:crypto'

export function shuffledBy<T>(nameOf: (one: T) => string, all: readonly T[], seed: string): T[] {
  const rank = (one: T): string =>
    createHash('sha256')
      .update(`${seed} ${nameOf(one)}`)
      .digest('hex')
  return all
    .map((one) => ({ one, at: rank(one) }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ one }) => one)
}
