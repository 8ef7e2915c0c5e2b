/**
 * PostgreSQL's clock, shared by all nodes. A use case gets the time read with its locks. A query
 * gets the last time read plus the time elapsed on the monotonic clock, without a round trip. The
 * poll reads it every 500 ms, which bounds the error after a jump.
 */
import { performance } from 'node:perf_hooks'
import { type Instant, instant } from '../../domain/instant.ts'
import type { Clock } from '../../platform/time/clock.ts'

export const serverMs = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

export class ServerTime {
  /** The clock of a test, which replaces the server's. */
  readonly #given: Clock | undefined
  #serverMs = 0
  #readAt = 0

  constructor(given: Clock | undefined) {
    this.#given = given
  }

  readonly heard = (ms: number): Instant => {
    this.#serverMs = ms
    this.#readAt = performance.now()
    return this.#given ? this.now() : instant(ms)
  }

  now(): Instant {
    return instant(
      this.#given
        ? this.#given.now()
        : Math.floor(this.#serverMs + performance.now() - this.#readAt),
    )
  }
}
