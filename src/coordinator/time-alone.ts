/**
 * How long the server has not been heard of (CO6). Alone is counted in time awake: a closed lid is no absence, so ticks are counted,
 * not hours. Only where others take over by the clock does the clock count; and never right after it has jumped, by a sleep or
 * because somebody set it, when the server may just be about to be heard again.
 */
import type { Clock } from '../platform/clock.ts'
import { beatMs } from '../protocol/processes/link.ts'

export const tickMs = 1000
/** A tick that comes this much later was slept through, or the clock was set. */
const lateMs = 5000
/** For a beat to be answered then. */
const hearAgainMs = beatMs + 5000
/** Everything must have ended by the time another takes over. */
const endsWithinMs = 15_000
const minuteMs = 60_000

export interface TimeAloneOptions {
  readonly clock: Clock
  /** Until the server says otherwise. */
  readonly aloneMinutes: number
  /** Once: it is time to go. */
  readonly onAlone: () => void
  /** Each time: another is about to take over what runs here. */
  readonly onTakeover: () => void
}

export class TimeAlone {
  readonly #parts: TimeAloneOptions
  #aloneMs: number
  #takeoverMs: number | undefined
  #ticks = 0
  #heardAt: number
  #lastTickAt: number
  /** Ticks for which the clock says nothing. */
  #patience = 0
  #warned = false
  #cancel = (): void => {}

  constructor(parts: TimeAloneOptions) {
    this.#parts = parts
    this.#aloneMs = parts.aloneMinutes * minuteMs
    this.#heardAt = parts.clock.now()
    this.#lastTickAt = this.#heardAt
  }

  start(): void {
    this.#lastTickAt = this.#parts.clock.now()
    this.#cancel = this.#parts.clock.after(tickMs, () => this.#tick())
  }

  stop(): void {
    this.#cancel()
  }

  heard(): void {
    this.#ticks = 0
    this.#heardAt = this.#parts.clock.now()
    this.#warned = false
  }

  allow(aloneMinutes: number, takeoverMinutes: number | null): void {
    this.#aloneMs = aloneMinutes * minuteMs
    this.#takeoverMs = takeoverMinutes === null ? undefined : takeoverMinutes * minuteMs - endsWithinMs
  }

  #tick(): void {
    const { onAlone, onTakeover, clock } = this.#parts
    const now = clock.now()
    if (now - this.#lastTickAt > tickMs + lateMs) this.#patience = hearAgainMs / tickMs
    else if (this.#patience > 0) this.#patience--
    this.#ticks++
    if (this.#ticks * tickMs >= this.#aloneMs) return onAlone()
    // A clock that was set back says less than the ticks.
    const silentMs = Math.max(now - this.#heardAt, this.#ticks * tickMs)
    if (!this.#warned && this.#takeoverMs !== undefined && silentMs >= this.#takeoverMs && this.#patience === 0) {
      this.#warned = true
      onTakeover()
    }
    this.start()
  }
}
