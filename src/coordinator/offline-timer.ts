/**
 * How long the server has not been heard of (CO6). Alone is counted in time awake: a closed lid is no absence, so ticks are counted,
 * not hours. Only where others take over by the clock does the clock count; and never right after it has jumped, by a sleep or
 * because somebody set it, when the server may just be about to be heard again.
 */
import type { Clock } from '../platform/clock.ts'
import { heartbeatMs } from '../protocol/processes/link.ts'

export const tickMs = 1000
/** A tick that comes this much later was slept through, or the clock was set. */
const jumpMs = 5000
/** For a beat to be answered then. */
const reconnectMs = heartbeatMs + 5000
/** Everything must have ended by the time another takes over. */
const endsWithinMs = 15_000
const minuteMs = 60_000

export interface OfflineTimerOptions {
  readonly clock: Clock
  /** Until the server says otherwise. */
  readonly aloneMinutes: number
  /** Once: it is time to go. */
  readonly onOfflineTooLong: () => void
  /** Each time: another is about to take over what runs here. */
  readonly onTakeoverDue: () => void
}

export class OfflineTimer {
  readonly #options: OfflineTimerOptions
  #aloneMs: number
  #takeoverMs: number | undefined
  #ticks = 0
  #receivedAt: number
  #lastTickAt: number
  /** Ticks for which the clock says nothing. */
  #ignoredTicks = 0
  #warned = false
  #cancel = (): void => {}

  constructor(options: OfflineTimerOptions) {
    this.#options = options
    this.#aloneMs = options.aloneMinutes * minuteMs
    this.#receivedAt = options.clock.now()
    this.#lastTickAt = this.#receivedAt
  }

  start(): void {
    this.#lastTickAt = this.#options.clock.now()
    this.#cancel = this.#options.clock.after(tickMs, () => this.#tick())
  }

  stop(): void {
    this.#cancel()
  }

  reset(): void {
    this.#ticks = 0
    this.#receivedAt = this.#options.clock.now()
    this.#warned = false
  }

  setLimits(aloneMinutes: number, takeoverMinutes: number | null): void {
    this.#aloneMs = aloneMinutes * minuteMs
    this.#takeoverMs = takeoverMinutes === null ? undefined : takeoverMinutes * minuteMs - endsWithinMs
  }

  #tick(): void {
    const { onOfflineTooLong, onTakeoverDue, clock } = this.#options
    const now = clock.now()
    if (now - this.#lastTickAt > tickMs + jumpMs) this.#ignoredTicks = reconnectMs / tickMs
    else if (this.#ignoredTicks > 0) this.#ignoredTicks--
    this.#ticks++
    if (this.#ticks * tickMs >= this.#aloneMs) return onOfflineTooLong()
    // A clock that was set back says less than the ticks.
    const silentMs = Math.max(now - this.#receivedAt, this.#ticks * tickMs)
    if (!this.#warned && this.#takeoverMs !== undefined && silentMs >= this.#takeoverMs && this.#ignoredTicks === 0) {
      this.#warned = true
      onTakeoverDue()
    }
    this.start()
  }
}
