/**
 * The node's connections: opened on demand up to `size`, handed out in the order of requests. While
 * PostgreSQL is unavailable it retries with growing pauses. Requests fail after `patienceMs`, and
 * at once when it has been unavailable for that long.
 */

import { performance } from 'node:perf_hooks'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { PostgresConnection } from './connection.ts'
import { reason } from './failures.ts'

/** The most requests waiting for a connection; more are refused with `busy`. */
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
  /** The longest wait of a request for a connection, or for PostgreSQL to return. */
  readonly patienceMs: number
  readonly open: () => Promise<PostgresConnection>
}

export class PostgresPool {
  readonly #options: PoolOptions
  readonly #free: PostgresConnection[] = []
  readonly #open = new Set<PostgresConnection>()
  readonly #waiters = new Set<Waiter>()
  #opening = 0
  /** The last connection error and the time of the first one in a row. */
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
    // The remaining time: a request behind one that timed out would otherwise wait as long again.
    const patienceMs =
      this.#options.patienceMs - (this.#away ? performance.now() - this.#away.since : 0)
    if (this.#away && patienceMs <= 0) throw this.#unavailable(this.#away.why)
    if (this.#waiters.size >= maxWaiting) throw new Refusal('busy')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiter), patienceMs).unref()
      const waiter: Waiter = { resolve, reject, timer }
      this.#waiters.add(waiter)
      this.#grow()
    })
  }

  /** Statements may still be under way; those of the next user are answered after them. */
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
    // While the server is unavailable, one attempt at a time is enough.
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
      // Also without waiting requests: only an attempt shows that the server is back.
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
