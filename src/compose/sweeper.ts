/** Clears away what has run out, once a minute. Harmless when done twice or not at all (services/sweep-expired.ts). */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { sweepExpired } from '../services/sweep-expired.ts'
import type { Store } from '../store/store.ts'

const everyMs = 60_000

/** Starts sweeping; the function returned stops it. */
export function startSweeper(store: Store, clock: Clock, logger: Logger): () => void {
  let cancel = clock.after(everyMs, sweep)
  let stopped = false
  function sweep(): void {
    store
      .run(sweepExpired, {})
      .catch((error) => logger.warn({ error: String(error) }, 'what has run out could not be cleared away; trying again'))
      .finally(() => {
        if (!stopped) cancel = clock.after(everyMs, sweep)
      })
  }
  return () => {
    stopped = true
    cancel()
  }
}
