/**
 * One connection. What is asked for in one turn of the event loop goes out as one batch, and what is only `held` goes with
 * whatever is asked next. Before anybody gets one it has been asked whether it keeps what it acknowledges.
 */
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import type { Row } from '../engine.ts'
import type { RunnableQuery } from '../statement.ts'
import { Batch, type Sent, Skipped, type Spoken } from './batch.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { ConnectionLost, isServerAnswer } from './failures.ts'
import { Messages } from './messages.ts'
import { checkServer, setUp } from './server-settings.ts'

/** How long a connection that is being closed may take over what it was still asked. */
const closeTimeoutMs = 10_000

const commit: RunnableQuery = { name: 'hf_commit', sql: 'commit', values: [] }
const rollback: RunnableQuery = { name: 'hf_rollback', sql: 'rollback', values: [] }

interface Answer {
  readonly rows: Row[]
  readonly command: string
}

interface Waiting extends Sent {
  /** Somebody waits for it; otherwise it goes with what somebody waits for. */
  readonly asked: boolean
  /** Ends a transaction: what stands behind it is another's and goes into the next batch. */
  readonly last: boolean
}

export class PostgresConnection {
  readonly #client: pg.Client
  #answerMs = 0
  readonly #spoken: Spoken = { prepared: new Map(), messages: new Messages() }
  #waiting: Waiting[] = []
  #whenIdle: (() => void)[] = []
  #busy = false
  #scheduled = false
  #askedAt = 0
  #watching: NodeJS.Timeout | undefined
  #lost: string | undefined
  /** Resolves when the socket is closed, whoever closed it. */
  readonly ended: Promise<void>

  private constructor(client: pg.Client) {
    this.#client = client
    this.ended = new Promise((resolve) => client.once('end', resolve))
    // Also when idle: an unheard error would end the process.
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
      // The driver's own words for a time that ran out or a socket that closed carry no code.
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

  /** With our limits, whatever was set on it before. */
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

  /** Sent with what comes next, answered when that is. */
  hold(query: RunnableQuery): Promise<Row[]> {
    return this.#rows(query, false)
  }

  /** Answers what was done: a COMMIT of a failed transaction is answered with ROLLBACK. Rejects with Skipped when it was not reached. */
  async commit(): Promise<string> {
    return (await this.#put(commit, { asked: true, last: true })).command
  }

  /** Not waited for: whoever uses the connection next comes after it. What was held is never sent. */
  rollback(): void {
    const held = this.#waiting.filter(({ asked }) => !asked)
    this.#waiting = this.#waiting.filter(({ asked }) => asked)
    for (const { failed } of held) failed(new Skipped(new Error('rolled back')))
    // A connection that stays inside a transaction would put the next one's work into it.
    this.#put(rollback, { asked: true, last: true }).catch(() => this.#abandon('a transaction could not be rolled back'))
  }

  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => listener(payload ?? ''))
  }

  /** Says goodbye when everything asked for has been answered, and waits for the socket; not longer than for an answer. */
  async end(): Promise<void> {
    const late = setTimeout(() => this.#client.connection.stream.destroy(), closeTimeoutMs)
    if (this.#busy || this.#anyAsked) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    this.#lost ??= 'we have closed it'
    this.#client.end().catch(() => {})
    await this.ended
    clearTimeout(late)
  }

  /** What fails because a statement before it failed, fails with that one's error. */
  async #rows(query: RunnableQuery, asked: boolean): Promise<Row[]> {
    try {
      return (await this.#put(query, { asked, last: false })).rows
    } catch (error) {
      throw error instanceof Skipped ? error.cause : error
    }
  }

  #put(query: RunnableQuery, { asked, last }: { asked: boolean; last: boolean }): Promise<Answer> {
    if (this.#lost !== undefined) return Promise.reject(new ConnectionLost(this.#lost))
    if (asked) this.#schedule()
    return new Promise((resolve, reject) => {
      const done = (rows: Row[], command: string): void => resolve({ rows, command })
      const failed = (error: Error): void => reject(this.#judge(error))
      this.#waiting.push({ query, asked, last, done, failed })
    })
  }

  /** At the end of this turn, so that what is asked for together goes together. */
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
    const batch = new Batch(statements, this.#spoken, () => {
      this.#busy = false
      if (this.#anyAsked) this.#schedule()
      else this.#rest()
    })
    this.#client.query(batch)
  }

  /** A server that does not answer, or a network that swallows. One timer for many answers: most come at once. */
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
    // What is under way is told by the driver.
    for (const { failed } of this.#waiting.splice(0)) failed(new ConnectionLost(this.#lost))
    if (!this.#busy) this.#rest()
  }

  #judge(error: Error): Error {
    return isServerAnswer(error) || this.#lost === undefined ? error : new ConnectionLost(this.#lost)
  }

  get #anyAsked(): boolean {
    return this.#waiting.some(({ asked }) => asked)
  }

  #rest(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
