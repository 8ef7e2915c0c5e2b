/**
 * What one node does for all (SC5): whoever holds the lease row does it, makes the lease longer while it lives, and gives it back when it
 * is stopped; when it was killed, paused or cut off, another takes it as soon as it has run out. This saves work and nothing hangs on it:
 * every duty decides behind the lock of its stream, so two that do the same for a moment do no harm. The time of the duties is the
 * database's, whatever the node's own clock says.
 */
import { epochMs } from '../domain/instant.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { holdLease, releaseLease } from '../services/system/leases.ts'
import type { Store } from '../store/store.ts'
import { runPeriodically } from './periodic-job.ts'

const name = 'duties'
/** So long after the holder was last heard of another takes over. */
export const leaseMs = 6000
/** Three chances to make it longer. */
const lookEveryMs = 2000
const complaint = 'It could not be seen who does the duties of the cluster'

/** Begins everything; the function returned stops it when what was begun is done. */
export type StartJobs = (clock: Clock) => Promise<() => Promise<void>>

export interface JobLeaseOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Names this node. */
  readonly holder: string
  readonly startJobs: StartJobs
}

export class JobLease {
  readonly #options: JobLeaseOptions
  readonly #jobClock: Clock
  /** What the database's clock is ahead of ours. */
  #aheadMs = 0
  #heldUntil = Number.NEGATIVE_INFINITY
  #end: (() => Promise<void>) | undefined
  #stopLooking: (() => Promise<void>) | undefined
  #stopped = false

  constructor(options: JobLeaseOptions) {
    this.#options = options
    const { clock } = options
    this.#jobClock = { now: () => clock.now() + this.#aheadMs, after: (ms, callback) => clock.after(ms, callback) }
  }

  start(): void {
    this.#stopLooking = runPeriodically({ everyMs: lookEveryMs, complaint, round: () => this.look() }, this.#options)
  }

  /** Hands over: the next who looks has it. */
  async stop(): Promise<void> {
    const { store, holder, logger } = this.#options
    this.#stopped = true
    await this.#stopLooking?.()
    if (!this.#end) return
    await this.#leave()
    await store.run(releaseLease, { name, holder }).catch((error: unknown) => {
      logger.warn({ error: String(error) }, 'The lease of the duties could not be given back; it runs out by itself')
    })
  }

  /** One look; never fails. */
  async look(): Promise<void> {
    const { store, clock, logger, holder, startJobs } = this.#options
    const askedAt = clock.now()
    try {
      const { held, now } = await store.run(holdLease, { name, holder, forMs: leaseMs })
      this.#aheadMs = epochMs(now) - clock.now()
      this.#heldUntil = held ? askedAt + leaseMs : Number.NEGATIVE_INFINITY
      if (held && !this.#end && !this.#stopped) {
        this.#end = await startJobs(this.#jobClock)
        logger.info('This node does the duties of the cluster')
      }
    } catch (error) {
      logger.warn({ error: String(error) }, `${complaint}; trying again`)
    }
    if (this.#end && clock.now() >= this.#heldUntil) {
      logger.info('Another node does the duties of the cluster')
      await this.#leave()
    }
  }

  async #leave(): Promise<void> {
    const end = this.#end
    this.#end = undefined
    // A database that is away can be told nothing; that must not be the end of this node.
    await end?.().catch((error: unknown) => {
      this.#options.logger.warn({ error: String(error) }, 'The duties could not be ended in order')
    })
  }
}
