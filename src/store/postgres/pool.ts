/**
 * The node's connections: opened when needed, at most `size`, handed out in the order they were asked for. When PostgreSQL
 * is away one attempt after the other is made, with growing pauses; whoever waits is told after `patienceMs`, and once it has
 * been away that long, at once. It comes back by itself.
 */

import { performance } from 'node:perf_hooks'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { PostgresConnection } from './connection.ts'
import { reason } from './failures.ts'

/** Requests that wait for a connection; past this a caller is told `busy` instead of growing the queue. */
const maxWaiting = 20_000
const firstPauseMs = 50
const maxPauseMs = 1000

interface Waiter {
  resolve(connection: PostgresConnection): void
  reject(error: Error): void
  readonly timer: NodeJS.Timeout
}

export interface PoolOptions {
  readonly size: number
  /** How long a request waits for a connection, or for PostgreSQL to come back. */
  readonly patienceMs: number
  readonly open: () => Promise<PostgresConnection>
}

export class PostgresPool {
  readonly #options: PoolOptions
  readonly #free: PostgresConnection[] = []
  readonly #open = new Set<PostgresConnection>()
  readonly #waiters = new Set<Waiter>()
  #opening = 0
  /** Why the last attempt to connect failed, and since when they fail. */
  #away: { readonly why: string; readonly since: number; readonly attempts: number } | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiters.size
  }

  async acquire(): Promise<PostgresConnection> {
    for (let free = this.#free.pop(); free; free = this.#free.pop()) if (!free.isLost) return free
    if (this.#closed) throw new Refusal('shutting_down')
    // What is left of it: who waited behind another that has given up would wait as long again.
    const patienceMs = this.#options.patienceMs - (this.#away ? performance.now() - this.#away.since : 0)
    if (this.#away && patienceMs <= 0) throw this.#unavailable(this.#away.why)
    if (this.#waiters.size >= maxWaiting) throw new Refusal('busy')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiter), patienceMs).unref()
      const waiter: Waiter = { resolve, reject, timer }
      this.#waiters.add(waiter)
      this.#grow()
    })
  }

  /** What was sent on it may still be under way: whoever gets it next is answered after that. */
  release(connection: PostgresConnection): void {
    if (connection.isLost) return
    const [next] = this.#waiters
    if (next) return this.#serve(next, connection)
    if (this.#closed) void connection.end()
    else this.#free.push(connection)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    for (const waiter of this.#waiters) this.#drop(waiter, new Refusal('shutting_down'))
    await Promise.all([...this.#open].map((connection) => connection.end()))
  }

  #grow(): void {
    const wanted = Math.min(this.#waiters.size, this.#options.size - this.#open.size)
    // While it is away a single attempt is enough to learn that it is back.
    const allowed = this.#away ? Math.min(wanted, 1) : wanted
    if (this.#retry || this.#closed) return
    while (this.#opening < allowed) void this.#openOne()
  }

  async #openOne(): Promise<void> {
    this.#opening++
    try {
      const connection = await this.#options.open()
      this.#away = undefined
      this.#open.add(connection)
      void connection.ended.then(() => this.#lose(connection))
      this.release(connection)
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#opening--
      this.#grow()
    }
  }

  #failed(error: unknown): void {
    const { since, attempts } = this.#away ?? { since: performance.now(), attempts: 0 }
    this.#away = { why: reason(error), since, attempts: attempts + 1 }
    if (this.#closed || this.#retry) return
    const pause = Math.min(firstPauseMs * 2 ** attempts, maxPauseMs)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      // Also when nobody waits: only an attempt finds out that it is back.
      if (this.#opening === 0 && !this.#closed) void this.#openOne()
    }, pause).unref()
  }

  #lose(connection: PostgresConnection): void {
    this.#open.delete(connection)
    const at = this.#free.indexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
    this.#grow()
  }

  #serve(waiter: Waiter, connection: PostgresConnection): void {
    clearTimeout(waiter.timer)
    this.#waiters.delete(waiter)
    waiter.resolve(connection)
  }

  #giveUp(waiter: Waiter): void {
    this.#drop(waiter, this.#away ? this.#unavailable(this.#away.why) : new Refusal('busy'))
  }

  #drop(waiter: Waiter, error: Error): void {
    clearTimeout(waiter.timer)
    this.#waiters.delete(waiter)
    waiter.reject(error)
  }

  #unavailable(why: string): Refusal {
    return new Refusal('store_unavailable', refusalText('postgresAway', { why }))
  }
}
