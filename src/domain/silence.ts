/**
 * Measures silence without the time in which nobody could be reached (AS6, CO6), such as a sleeping
 * machine's. Pure.
 */
import { epochMs, type Instant } from './instant.ts'

/** A period in which nobody could be reached. */
export interface OfflinePeriod {
  readonly from: Instant
  readonly to: Instant
}

/** Beyond it the oldest are joined, which only gives more time. */
export const maxOfflinePeriods = 32

/** Returns the time since `since`, without offline periods, which do not overlap. */
export function onlineMsSince(
  since: Instant,
  now: Instant,
  offline: readonly OfflinePeriod[],
): number {
  const [start, end] = [epochMs(since), epochMs(now)]
  let ms = Math.max(0, end - start)
  for (const { from, to } of offline)
    ms -= Math.max(0, Math.min(end, epochMs(to)) - Math.max(start, epochMs(from)))
  return Math.max(0, ms)
}

export function addOfflinePeriod(
  periods: readonly OfflinePeriod[],
  added: OfflinePeriod,
): readonly OfflinePeriod[] {
  const all = [...periods, added]
  const [first, second, ...rest] = all
  if (!first || !second || all.length <= maxOfflinePeriods) return all
  return [{ from: first.from, to: second.to }, ...rest]
}
