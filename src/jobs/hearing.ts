/**
 * Knows since when this server hears agents, people and machines without a break. Silence counts
 * only while somebody could have been heard: sleep, a clock change, a store that is away, an
 * upgrade or another node's death end nothing. One clock for all due work: it asks `begin` before
 * it looks, and tells `heard` when its look has succeeded.
 */
import { epochMs, type Instant, instant } from '../domain/instant.ts'
import { addOfflinePeriod, type OfflinePeriod } from '../domain/silence.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { findLastSweep, listLiveAgentSessions } from '../services/agent-sessions/queries.ts'
import {
  postponeAgentSession,
  recordSweep,
} from '../services/flows/agent-sessions/sweep-agent-session.ts'
import { touchAllPanels } from '../services/flows/conversations/start-chat.ts'
import { firstLive } from '../store/agent-sessions/due-agent-sessions.ts'
import type { Store } from '../store/store.ts'

/** Looks are this far apart at most. */
const usualGapMs = 2000
/** A look later than this after the usual gap means that the machine slept, not that it is busy. */
const lateMs = 5000
/** Interval at which it is recorded that agents can be heard, while there are any. */
const recordedEveryMs = 30_000
const postponedAtOnce = 100

export interface HearingOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

export class Hearing {
  readonly #options: HearingOptions
  /** The last look that succeeded. Undefined before the first. */
  #until: number | undefined
  #since: number
  #offline: readonly OfflinePeriod[]
  #recordedAt = Number.NEGATIVE_INFINITY
  #beginning: Promise<void> | undefined

  constructor(options: HearingOptions) {
    this.#options = options
    this.#since = options.clock.now()
    // Nothing could be heard before this server started.
    this.#offline = [{ from: instant(0), to: instant(this.#since) }]
  }

  /** The end of the last break. */
  get since(): number {
    return this.#since
  }

  /** The breaks, with all time before the start. */
  get offline(): readonly OfflinePeriod[] {
    return this.#offline
  }

  /**
   * Notices a break and gives everybody the time it took. Fails while the store is away, and then
   * the break goes on. Looks that begin at the same time wait for one answer.
   */
  async begin(): Promise<void> {
    this.#beginning ??= this.#noticeBreak().finally(() => {
      this.#beginning = undefined
    })
    await this.#beginning
  }

  /** A look that began at `at` could read the store. One that failed has heard nobody either. */
  async heard(at: number): Promise<void> {
    this.#until = Math.max(this.#until ?? at, at)
    if (at - this.#recordedAt >= recordedEveryMs) await this.record()
  }

  /** Records it for the next start. */
  async record(): Promise<void> {
    const { store, clock } = this.#options
    const [anyLive] = await store.query(listLiveAgentSessions, { after: firstLive, limit: 1 })
    this.#recordedAt = clock.now()
    if (anyLive) await store.run(recordSweep, {})
  }

  async #noticeBreak(): Promise<void> {
    const now = this.#options.clock.now()
    const isStart = this.#until === undefined
    const until = this.#until ?? (await this.#recordedUntil()) ?? now
    const ms = now - until - usualGapMs
    if (ms > lateMs) await this.#postpone(ms)
    if (isStart || ms > lateMs) {
      await this.#options.store.run(touchAllPanels, {})
      this.#until = now
      this.#since = now
    }
    if (!isStart && ms > lateMs)
      this.#offline = addOfflinePeriod(this.#offline, {
        from: instant(now - ms),
        to: instant(now),
      })
  }

  async #recordedUntil(): Promise<number | undefined> {
    const at: Instant | undefined = await this.#options.store.query(findLastSweep, {})
    return at === undefined ? undefined : epochMs(at)
  }

  /**
   * Moves the deadlines of all live agent sessions. RE9: one that cannot be moved keeps no other
   * from it.
   */
  async #postpone(byMs: number): Promise<void> {
    const { store, logger } = this.#options
    logger.info({ seconds: Math.round(byMs / 1000) }, 'agents were unreachable; deadlines extended')
    for (let after = firstLive; ; ) {
      const page = await store.query(listLiveAgentSessions, { after, limit: postponedAtOnce })
      await Promise.all(
        page.map(({ purpose: _, ...which }) =>
          store.run(postponeAgentSession, { ...which, byMs }).catch((error: unknown) => {
            const text = 'the deadline of an agent session could not be moved'
            logger.warn({ ...which, error: String(error) }, text)
          }),
        ),
      )
      const last = page.at(-1)
      if (!last || page.length < postponedAtOnce) return
      after = last
    }
  }
}
