/** Runs a job periodically. Runs never overlap; a failed run is logged and retried after the same interval. */

import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'

/** A run later than this after its interval means that the machine slept, not that it is busy. */
export const lateMs = 5000

export interface PeriodicJob {
  readonly everyMs: number
  readonly failureText: string
  /** Waits one interval before the first run. */
  readonly waitsFirst?: boolean
  run(): Promise<void>
  /** Asks the current run to end early. */
  finishEarly?(): void
  /** Called once after the last run. */
  end?(): Promise<void>
}

export interface JobTools {
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
}

/** Starts the job; the returned function stops it when the current run is finished. */
export function runPeriodically(
  job: PeriodicJob,
  { clock, logger }: JobTools,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let cancel = (): void => {}
  if (job.waitsFirst) rest()
  else go()

  function go(): void {
    running = job
      .run()
      .catch((error) => logger.warn({ error: String(error) }, `${job.failureText}; retrying`))
      .finally(() => {
        if (!stopped) rest()
      })
  }
  function rest(): void {
    cancel = clock.after(job.everyMs, go)
  }

  return async () => {
    stopped = true
    cancel()
    job.finishEarly?.()
    await running
    await job.end?.()
  }
}

/** RE9: logs the failure of one item, so that the others are still handled. */
export async function logFailure<T>(
  logger: Logger,
  failureText: string,
  which: object,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    logger.warn({ ...which, error: String(error) }, `${failureText}; retrying`)
    return undefined
  }
}
