/** How long to wait before the next try: twice as long each time, within bounds, never shorter than the platform asks for. */
const firstMs = 1000
const mostMs = 5 * 60_000

export const backoffMs = (failures: number, retryAfterMs = 0): number =>
  Math.max(retryAfterMs, Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20)))
