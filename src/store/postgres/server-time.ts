/**
 * PostgreSQL's clock, the one clock all nodes share. A use case gets the time that was read with its locks; a query gets the
 * last time read plus what has passed since by a clock nobody can set, so it costs no round trip. The poll reads it anew
 * every 500 ms, which bounds how wrong it can be after a jump.
 */
import { performance } from 'node:perf_hooks'
import { type Instant, instant } from '../../domain/instant.ts'
import type { Clock } from '../../platform/clock.ts'

export const serverMs = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

export class ServerTime {
  /** In tests: time is what the test says. */
  readonly #given: Clock | undefined
  #serverMs = 0
  #readAt = 0

  constructor(given: Clock | undefined) {
    this.#given = given
  }

  /** The server has just said what time it is. */
  readonly heard = (ms: number): Instant => {
    this.#serverMs = ms
    this.#readAt = performance.now()
    return this.#given ? this.now() : instant(ms)
  }

  now(): Instant {
    return instant(this.#given ? this.#given.now() : Math.floor(this.#serverMs + performance.now() - this.#readAt))
  }
}
