/**
 * Measures how long the server has been silent (CO6). Counts ticks rather than clock time, so a
 * suspended machine is not offline. Clock time counts only for the takeover by another coordinator,
 * and not right after the clock has jumped.
 */
import type { Clock } from '../platform/time/clock.ts'
import { heartbeatMs } from '../protocol/processes/link.ts'

export const tickMs = 1000
/** A tick delayed by more than this means a suspend or a changed clock. */
const jumpMs = 5000
/** Time for a heartbeat to be answered after a jump. */
const reconnectMs = heartbeatMs + 5000
/** Everything must have ended before another coordinator takes over. */
const endsWithinMs = 15_000
const minuteMs = 60_000

export interface OfflineTimerOptions {
  readonly clock: Clock
  /** Used until the server sends its own value. */
  readonly aloneMinutes: number
  /** Called once, when the offline limit is reached. */
  readonly onOfflineTooLong: () => void
  readonly onTakeoverDue: () => void
}

export class OfflineTimer {
  readonly #options: OfflineTimerOptions
  #aloneMs: number
  #takeoverMs: number | undefined
  #ticks = 0
  #receivedAt: number
  #lastTickAt: number
  /** Ticks during which clock time is ignored. */
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
    this.#takeoverMs =
      takeoverMinutes === null ? undefined : takeoverMinutes * minuteMs - endsWithinMs
  }

  #tick(): void {
    const { onOfflineTooLong, onTakeoverDue, clock } = this.#options
    const now = clock.now()
    if (now - this.#lastTickAt > tickMs + jumpMs) this.#ignoredTicks = reconnectMs / tickMs
    else if (this.#ignoredTicks > 0) this.#ignoredTicks--
    this.#ticks++
    if (this.#ticks * tickMs >= this.#aloneMs) return onOfflineTooLong()
    // After the clock was set back, the ticks count.
    const silentMs = Math.max(now - this.#receivedAt, this.#ticks * tickMs)
    if (
      !this.#warned &&
      this.#takeoverMs !== undefined &&
      silentMs >= this.#takeoverMs &&
      this.#ignoredTicks === 0
    ) {
      this.#warned = true
      onTakeoverDue()
    }
    this.start()
  }
}
