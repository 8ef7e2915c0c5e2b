/**
 * Limits of what one address or one credential may do in a minute (SE8, SE27), with bounded memory.
 */
import { isIPv6 } from 'node:net'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** Successful attempts to sign in count too. */
export const loginAttemptsPerMinute = 10
/** Requests without a credential, or with a wrong one, of one address. */
export const anonymousRequestsPerMinute = 1000
/**
 * Requests of one credential: many times what the busiest benchmark sends, and less than would hold
 * a server up for good.
 */
export const callersRequestsPerMinute = 600_000

const windowMs = 60_000
/** Upper bound; beyond it the key that was quiet longest is dropped. */
const maxKeys = 10_000
/** Larger limits are counted by the second, so that a key takes little memory. */
const mostCountedSingly = 60

interface Counted {
  readonly at: number
  count: number
}

interface Recent {
  readonly slots: Counted[]
  total: number
}

export class RateLimit {
  readonly #clock: Clock
  readonly #limit: number
  readonly #slotMs: number
  readonly #what: 'attempts' | 'requests'
  readonly #seen = new Map<string, Recent>()

  constructor(clock: Clock, limit: number, what: 'attempts' | 'requests' = 'attempts') {
    this.#clock = clock
    this.#limit = limit
    this.#what = what
    this.#slotMs = limit > mostCountedSingly ? 1000 : 1
  }

  /** Counts an attempt; throws `rate_limited` with the seconds to wait when there are too many. */
  attempt(by: string): void {
    const now = this.#clock.now()
    const recent = this.#recent(networkOf(by), now)
    if (recent.total >= this.#limit) {
      const oldest = recent.slots[0]?.at ?? now
      const retryAfterSeconds = Math.max(
        1,
        Math.ceil((oldest + this.#slotMs - 1 + windowMs - now) / 1000),
      )
      throw new Refusal('rate_limited', refusalText(this.#what, { count: this.#limit }), {
        retryAfterSeconds,
      })
    }
    const newest = recent.slots.at(-1)
    if (newest && now - newest.at < this.#slotMs) newest.count++
    else recent.slots.push({ at: now, count: 1 })
    recent.total++
  }

  /** What counts of a key now; it becomes the one heard of last. */
  #recent(key: string, now: number): Recent {
    const recent = this.#seen.get(key) ?? { slots: [], total: 0 }
    this.#seen.delete(key)
    this.#seen.set(key, recent)
    if (this.#seen.size > maxKeys) this.#forgetQuietest()
    const { slots } = recent
    const isOver = (at: number): boolean => at + this.#slotMs - 1 <= now - windowMs
    while (slots[0] && isOver(slots[0].at)) recent.total -= slots.shift()?.count ?? 0
    // Times in the future come from a clock that was set back.
    while ((slots.at(-1)?.at ?? now) > now) recent.total -= slots.pop()?.count ?? 0
    return recent
  }

  #forgetQuietest(): void {
    const [key = ''] = this.#seen.keys()
    this.#seen.delete(key)
  }
}

/** Groups IPv6 addresses by network, because one household has 2^64 of them. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [front = '', back = ''] = address.split('::')
  const groups = front.split(':').filter(Boolean)
  const missing = 8 - groups.length - back.split(':').filter(Boolean).length
  const whole = [
    ...groups,
    ...Array<string>(Math.max(0, missing)).fill('0'),
    ...back.split(':').filter(Boolean),
  ]
  return whole.slice(0, 4).join(':')
}
