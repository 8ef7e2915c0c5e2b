/**
 * Delay before the next retry: doubles each time within bounds, and is at least what the platform
 * asks for, up to a day.
 */
const firstMs = 1000
const maxMs = 5 * 60_000
const maxAskedMs = 24 * 3_600_000

export const backoffMs = (failures: number, retryAfterMs = 0): number => {
  const askedMs = Number.isNaN(retryAfterMs) ? 0 : Math.min(maxAskedMs, retryAfterMs)
  return Math.max(askedMs, Math.min(maxMs, firstMs * 2 ** Math.min(failures, 20)))
}
