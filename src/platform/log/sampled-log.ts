/**
 * Logs what anyone can cause without a credential, at most so often a minute; the next line says
 * how many were left out.
 */
import type { Clock } from '../time/clock.ts'
import type { Logger } from './logger.ts'

const windowMs = 60_000

export class SampledLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #mostAMinute: number
  #beganAt = Number.NEGATIVE_INFINITY
  #said = 0
  #leftOut = 0

  constructor(logger: Logger, clock: Clock, mostAMinute: number) {
    this.#logger = logger
    this.#clock = clock
    this.#mostAMinute = mostAMinute
  }

  info(fields: Readonly<Record<string, unknown>>, message: string): void {
    const now = this.#clock.now()
    if (now - this.#beganAt >= windowMs) {
      this.#beganAt = now
      this.#said = 0
    }
    if (this.#said >= this.#mostAMinute) return void this.#leftOut++
    this.#said++
    this.#logger.info({ ...fields, ...(this.#leftOut > 0 && { leftOut: this.#leftOut }) }, message)
    this.#leftOut = 0
  }
}
