/**
 * Clears away what has run out, once a minute, and trims streams that have grown long (services/sweep-expired.ts, trim-stream.ts).
 * Harmless when done twice or not at all.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { findLongStreams } from '../services/find-long-streams.ts'
import { sweepExpired } from '../services/sweep-expired.ts'
import { trimStream } from '../services/trim-stream.ts'
import type { Store } from '../store/store.ts'

const everyMs = 60_000
/** Of one stream in one sweep. */
const maxTrims = 20

/** Starts sweeping; the function returned stops it. */
export function startSweeper(store: Store, clock: Clock, logger: Logger): () => void {
  let cancel = clock.after(everyMs, sweep)
  let stopped = false
  function sweep(): void {
    clearAway(store)
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

async function clearAway(store: Store): Promise<void> {
  await store.run(sweepExpired, {})
  for (const stream of await store.query(findLongStreams, {}))
    for (let trims = 0; trims < maxTrims; trims++) if (!(await store.run(trimStream, { stream })).more) break
}
