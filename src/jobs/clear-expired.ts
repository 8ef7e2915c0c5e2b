/**
 * Removes expired rows once a minute and trims long streams (services/system/sweep-expired.ts, trim-stream.ts). Safe to run
 * twice or not at all.
 */

import { sweepExpired } from '../services/system/sweep-expired.ts'
import { findLongStreams, trimStream } from '../services/system/trim-stream.ts'
import type { Store } from '../store/store.ts'
import type { PeriodicJob } from './periodic-job.ts'

/** Upper bound per run: more than a store under load creates in a minute. */
const maxSweeps = 100
/** Upper bound per stream and run. */
const maxTrims = 20

export const expiredRemover = (store: Store): PeriodicJob => ({
  everyMs: 60_000,
  failureText: 'What has run out could not be cleared away',
  waitsFirst: true,
  run: async () => {
    for (let sweeps = 0; sweeps < maxSweeps; sweeps++) if (!(await store.run(sweepExpired, {})).more) break
    for (const stream of await store.query(findLongStreams, {}))
      for (let trims = 0; trims < maxTrims; trims++) if (!(await store.run(trimStream, { stream })).more) break
  },
})
