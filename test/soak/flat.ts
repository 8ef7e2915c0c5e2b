/** Whether a figure that was sampled over time stays where it is (RE8). Pure. */

/** The first quarter is warming up: caches fill, code is compiled. */
const warmUp = 0.25

export interface Flatness {
  /** The figure of the second quarter. */
  readonly before: number
  /** The figure of the last quarter. */
  readonly after: number
  readonly growth: number
  readonly flat: boolean
}

/**
 * Medians, so that one sample in the middle of a collection decides nothing. `slack`: what may come
 * and go besides, in its unit.
 */
export function flatness(samples: readonly number[], mostGrowth: number, slack: number): Flatness {
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  const first = Math.floor(samples.length * warmUp)
  const before = median(samples.slice(first, first + quarter))
  const after = median(samples.slice(-quarter))
  const growth = after / before
  return { before, after, growth, flat: after <= before * mostGrowth + slack }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
