/** The few figures the bench draws from a row of measurements. Pure. */

/**
 * The value below which `part` (0..1) of the measurements lie, between neighbours in proportion.
 */
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const below = sorted[Math.floor(at)]
  const above = sorted[Math.ceil(at)]
  if (below === undefined || above === undefined) throw new Error('There are no measurements')
  return below + (above - below) * (at - Math.floor(at))
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/**
 * How far the measurements of one and the same thing lie apart: the largest over the smallest,
 * without the best and the worst tenth. One round in nine may meet somebody else's work; the median
 * of the ratios is not moved by it either.
 */
export function spread(values: readonly number[]): number {
  const tenth = Math.ceil(values.length / 10)
  const kept = [...values].sort((a, b) => a - b).slice(tenth, -tenth)
  return (kept.at(-1) ?? Number.NaN) / (kept[0] ?? Number.NaN)
}
