/**
 * Lease of the background jobs in a cluster (SC5). The node that holds the lease row runs them,
 * renews it, and releases it when it stops; after a crash, pause or partition another node takes
 * over when the lease expires. It only saves work: every job decides under the lock of its stream,
 * so two nodes running it for a moment do no harm. Jobs use the database's time.
 */
import { epochMs } from '../domain/instant.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { holdLease, releaseLease } from '../services/system/leases.ts'
import type { Store } from '../store/store.ts'
import { runPeriodically } from './due-work.ts'

const name = 'duties'
/** Another node takes over this long after the last renewal. */
export const leaseMs = 6000
/** Leaves three attempts to renew. */
const renewEveryMs = 2000
const failureText = 'job lease could not be renewed'

/** Starts all jobs; the returned function stops them when running work is finished. */
export type StartJobs = (clock: Clock) => Promise<() => Promise<void>>

export interface JobLeaseOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly holder: string
  readonly startJobs: StartJobs
}

export class JobLease {
  readonly #options: JobLeaseOptions
  readonly #jobClock: Clock
  /** Difference between the database's clock and ours. */
  #aheadMs = 0
  #heldUntil = Number.NEGATIVE_INFINITY
  #end: (() => Promise<void>) | undefined
  #stopRenewing: (() => Promise<void>) | undefined
  #stopped = false

  constructor(options: JobLeaseOptions) {
    this.#options = options
    const { clock } = options
    this.#jobClock = {
      now: () => clock.now() + this.#aheadMs,
      after: (ms, callback) => clock.after(ms, callback),
    }
  }

  start(): void {
    this.#stopRenewing = runPeriodically(
      { everyMs: renewEveryMs, failureText, find: async () => [name], run: () => this.renew() },
      this.#options,
    )
  }

  /** Releases the lease, so that the next node that checks takes it. */
  async stop(): Promise<void> {
    const { store, holder, logger } = this.#options
    this.#stopped = true
    await this.#stopRenewing?.()
    if (!this.#end) return
    await this.#leave()
    await store.run(releaseLease, { name, holder }).catch((error: unknown) => {
      logger.warn({ error: String(error) }, 'job lease could not be released; it will expire')
    })
  }

  /** Takes or renews the lease once; never fails. */
  async renew(): Promise<void> {
    const { store, clock, logger, holder, startJobs } = this.#options
    const askedAt = clock.now()
    try {
      const { held, now } = await store.run(holdLease, { name, holder, forMs: leaseMs })
      this.#aheadMs = epochMs(now) - clock.now()
      this.#heldUntil = held ? askedAt + leaseMs : Number.NEGATIVE_INFINITY
      if (held && !this.#end && !this.#stopped) {
        this.#end = await startJobs(this.#jobClock)
        logger.info('this node runs the background jobs of the cluster')
      }
    } catch (error) {
      logger.warn({ error: String(error) }, `${failureText}; retrying`)
    }
    if (this.#end && clock.now() >= this.#heldUntil) {
      logger.info('another node runs the background jobs of the cluster')
      await this.#leave()
    }
  }

  async #leave(): Promise<void> {
    const end = this.#end
    this.#end = undefined
    // The database may be unreachable; this node must survive it.
    await end?.().catch((error: unknown) => {
      this.#options.logger.warn(
        { error: String(error) },
        'background jobs could not be stopped cleanly',
      )
    })
  }
}
