/** How long to wait before the next try: twice as long each time, within bounds, never shorter than the platform asks for, up to a day. */
const firstMs = 1000
const mostMs = 5 * 60_000
/** A platform that asks for more is asked again after it: a timer does not last for ever, and no date is so far away. */
const mostAskedMs = 24 * 3_600_000

export const backoffMs = (failures: number, retryAfterMs = 0): number => {
  const asked = Number.isNaN(retryAfterMs) ? 0 : Math.min(mostAskedMs, retryAfterMs)
  return Math.max(asked, Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20)))
}
