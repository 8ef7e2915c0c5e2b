/**
 * The one way in which something is done again and again: a round, a rest, the next round, until it is stopped. A round that fails is
 * said and tried again after the same rest; two rounds never overlap.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'

/** A round that comes later than this after its rest is not one of a busy machine but of one that slept. */
export const lateMs = 5000

export interface PeriodicJob {
  /** The rest between two rounds. */
  readonly everyMs: number
  /** Said when a round fails. */
  readonly complaint: string
  /** What can wait at a start rests before its first round, too. */
  readonly restsFirst?: boolean
  round(): Promise<void>
  /** The round under way should come to its end. */
  hurry?(): void
  /** The last of it, when no round is under way any more. */
  end?(): Promise<void>
}

export interface JobTools {
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
}

/** Begins; the function returned stops it when what was begun is done. */
export function runPeriodically(job: PeriodicJob, { clock, logger }: JobTools): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let cancel = (): void => {}
  if (job.restsFirst) rest()
  else go()

  function go(): void {
    running = job
      .round()
      .catch((error) => logger.warn({ error: String(error) }, `${job.complaint}; trying again`))
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
    job.hurry?.()
    await running
    await job.end?.()
  }
}

/** RE9: what cannot be done about one is said, and the others are served all the same. */
export async function byItself<T>(
  logger: Logger,
  complaint: string,
  which: object,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    logger.warn({ ...which, error: String(error) }, `${complaint}; trying again`)
    return undefined
  }
}
