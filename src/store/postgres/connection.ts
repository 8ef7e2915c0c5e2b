/**
 * One connection. Statements executed in the same turn of the event loop are sent as one batch;
 * `held` statements are sent with the next one. The server's durability settings are checked before
 * the connection is used.
 */
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import type { Row } from '../engine.ts'
import type { RunnableQuery } from '../statement.ts'
import { Batch, type ConnectionState, type Sent, Skipped } from './batch.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { ConnectionLost, isServerAnswer } from './failures.ts'
import { Messages } from './messages.ts'
import { checkServer, setUp } from './server-settings.ts'

/** The longest time a closing connection waits for outstanding answers. */
const closeTimeoutMs = 10_000

const commit: RunnableQuery = { name: 'hf_commit', sql: 'commit', values: [] }
const rollback: RunnableQuery = { name: 'hf_rollback', sql: 'rollback', values: [] }

interface Waiting extends Sent {
  /** Whether a caller waits for it; otherwise it is sent with the next statement that has one. */
  readonly asked: boolean
  /** Ends a transaction: later statements go into the next batch. */
  readonly last: boolean
}

export class PostgresConnection {
  readonly #client: pg.Client
  #answerMs = 0
  readonly #state: ConnectionState = { prepared: new Map(), messages: new Messages() }
  #waiting: Waiting[] = []
  #whenIdle: (() => void)[] = []
  #busy = false
  #scheduled = false
  #askedAt = 0
  #watching: NodeJS.Timeout | undefined
  #lost: string | undefined
  /** Resolves when the socket is closed, by either side. */
  readonly ended: Promise<void>

  private constructor(client: pg.Client) {
    this.#client = client
    this.ended = new Promise((resolve) => client.once('end', resolve))
    // Also when idle: an unhandled error event would end the process.
    client.on('error', (error) => this.#lose(error.message))
    client.once('end', () => {
      clearTimeout(this.#watching)
      this.#lose('the connection was closed')
    })
  }

  static async open(options: ConnectionOptions): Promise<PostgresConnection> {
    const client = new pg.Client(options.config)
    const connection = new PostgresConnection(client)
    try {
      await client.connect()
    } catch (error) {
      // The driver's errors for a time-out or a closed socket have no code.
      if (error instanceof Error && !('code' in error)) throw new ConnectionLost(error.message)
      throw error
    }
    try {
      await connection.setUp(options)
      return connection
    } catch (error) {
      await connection.end()
      throw error
    }
  }

  /** Sets the limits, whatever was set before, and checks the server. */
  async setUp({ address, answerMs }: ConnectionOptions): Promise<void> {
    this.#answerMs = answerMs
    checkServer(await this.execute(setUp), address)
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  execute(query: RunnableQuery): Promise<Row[]> {
    return this.#rows(query, true)
  }

  /** Sends the statement with the next one. */
  hold(query: RunnableQuery): Promise<Row[]> {
    return this.#rows(query, false)
  }

  /**
   * Returns the executed command: the COMMIT of a failed transaction is answered with ROLLBACK.
   * Rejects with Skipped when it was not reached.
   */
  async commit(): Promise<string> {
    return (await this.#put(commit, { asked: true, last: true })).command
  }

  dropHeld(): void {
    const held = this.#waiting.filter(({ asked }) => !asked)
    this.#waiting = this.#waiting.filter(({ asked }) => asked)
    for (const { failed } of held) failed(new Skipped(new Error('rolled back')))
  }

  /** Is not awaited: the next user's statements come after it. Held statements are dropped. */
  rollback(): void {
    this.dropHeld()
    // A connection left in a transaction would run the next caller's statements in it.
    this.#put(rollback, { asked: true, last: true }).catch(() =>
      this.#abandon('a transaction could not be rolled back'),
    )
  }

  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => listener(payload ?? ''))
  }

  /** Closes the connection after all outstanding answers, or after the time-out. */
  async end(): Promise<void> {
    const late = setTimeout(() => this.#client.connection.stream.destroy(), closeTimeoutMs)
    if (this.#busy || this.#anyAsked)
      await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    this.#lost ??= 'we have closed it'
    this.#client.end().catch(() => {})
    await this.ended
    clearTimeout(late)
  }

  /** A skipped statement fails with the error of the one that failed. */
  async #rows(query: RunnableQuery, wasAsked: boolean): Promise<Row[]> {
    try {
      return (await this.#put(query, { asked: wasAsked, last: false })).rows
    } catch (error) {
      throw error instanceof Skipped ? error.cause : error
    }
  }

  #put(
    query: RunnableQuery,
    { asked, last }: { asked: boolean; last: boolean },
  ): Promise<{ rows: Row[]; command: string }> {
    if (this.#lost !== undefined) return Promise.reject(new ConnectionLost(this.#lost))
    if (asked) this.#schedule()
    return new Promise((resolve, reject) => {
      const done = (rows: Row[], command: string): void => resolve({ rows, command })
      const failed = (error: Error): void => reject(this.#judge(error))
      this.#waiting.push({ query, asked, last, done, failed })
    })
  }

  /**
   * At the end of this turn of the event loop, so that statements issued together are sent
   * together.
   */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  #send(): void {
    if (this.#busy || this.#waiting.length === 0) return
    const lastAt = this.#waiting.findIndex(({ last }) => last)
    const statements = this.#waiting.splice(0, lastAt < 0 ? this.#waiting.length : lastAt + 1)
    this.#busy = true
    this.#askedAt = performance.now()
    this.#watch(this.#answerMs)
    const batch = new Batch(statements, this.#state, () => {
      this.#busy = false
      if (this.#anyAsked) this.#schedule()
      else this.#rest()
    })
    this.#client.query(batch)
  }

  /** Detects a server that does not answer. One timer serves many answers. */
  #watch(forMs: number): void {
    if (this.#answerMs === 0) return
    this.#watching ??= setTimeout(() => {
      this.#watching = undefined
      if (!this.#busy) return
      const left = this.#askedAt + this.#answerMs - performance.now()
      if (left > 0) this.#watch(left)
      else this.#abandon(`no answer for ${this.#answerMs / 1000} s`)
    }, forMs).unref()
  }

  #abandon(why: string): void {
    this.#lose(why)
    this.#client.connection.stream.destroy()
  }

  #lose(why: string): void {
    this.#lost ??= why
    // The driver fails the statements under way.
    for (const { failed } of this.#waiting.splice(0)) failed(new ConnectionLost(this.#lost))
    if (!this.#busy) this.#rest()
  }

  #judge(error: Error): Error {
    return isServerAnswer(error) || this.#lost === undefined
      ? error
      : new ConnectionLost(this.#lost)
  }

  get #anyAsked(): boolean {
    return this.#waiting.some(({ asked }) => asked)
  }

  #rest(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
