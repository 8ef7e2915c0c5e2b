/** Limits attempts per minute and address (SE8) with bounded memory. Successful attempts count too. */

import { isIPv6 } from 'node:net'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Clock } from '../../platform/clock.ts'

export const loginAttemptsPerMinute = 10
const windowMs = 60_000
/** Upper bound; beyond it the address that was quiet longest is dropped. */
const maxAddresses = 10_000

export class RateLimit {
  readonly #clock: Clock
  readonly #attempts: number
  readonly #seen = new Map<string, number[]>()

  constructor(clock: Clock, attempts: number) {
    this.#clock = clock
    this.#attempts = attempts
  }

  /** Counts an attempt; throws `rate_limited` with the seconds to wait when there are too many. */
  attempt(address: string): void {
    const key = network(address)
    const now = this.#clock.now()
    // Times in the future come from a clock that was set back.
    const recent = (this.#seen.get(key) ?? []).filter((at) => at > now - windowMs && at <= now)
    this.#seen.delete(key)
    this.#seen.set(key, recent)
    if (this.#seen.size > maxAddresses) this.#forgetOldest()
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= this.#attempts) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000))
      throw new Refusal('rate_limited', refusalText('attempts', { count: this.#attempts }), { retryAfterSeconds })
    }
    recent.push(now)
  }

  #forgetOldest(): void {
    for (const key of this.#seen.keys()) {
      this.#seen.delete(key)
      return
    }
  }
}

/** Groups IPv6 addresses by network, because one household has 2^64 of them. */
function network(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [front = '', back = ''] = address.split('::')
  const groups = front.split(':').filter(Boolean)
  const missing = 8 - groups.length - back.split(':').filter(Boolean).length
  const whole = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...back.split(':').filter(Boolean)]
  return whole.slice(0, 4).join(':')
}
