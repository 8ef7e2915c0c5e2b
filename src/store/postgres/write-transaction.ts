/**
 * A writing transaction on PostgreSQL. READ COMMITTED is enough: decisions are made under stream
 * locks, and each statement sees what was committed before it. Writes are buffered and sent with
 * the next read, at the latest with the COMMIT; a failure there fails the transaction, and nothing
 * is acknowledged before the COMMIT is answered.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { LockedStreams, Row, WritingEngine } from '../engine.ts'
import type { Tables } from '../schema/tables.ts'
import type { RunnableQuery } from '../statement.ts'
import { Skipped } from './batch.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { ConnectionLost, isRolledBack, OutcomeUnknown, reason, StreamGone } from './failures.ts'
import type { ServerTime } from './server-time.ts'
import { readTime, type StreamLocks } from './stream-locks.ts'

/** The most buffered writes; then they are sent. */
const maxHeld = 100

const begin: RunnableQuery = {
  name: 'hf_begin',
  sql: 'begin isolation level read committed',
  values: [],
}

const appendOne = `with moved as (update streams set head = $2 where name = $1)
  insert into events (stream, seq, type, at, data, ref_stream, ref_seq) values ($1, $2, $3, $4, $5, $6, $7)`

const appendMany = `with moved as (
    insert into streams (name, head, floor) select name, head, 0 from unnest($8::text[], $9::bigint[]) as given (name, head)
    on conflict (name) do update set head = excluded.head
  )
  insert into events (stream, seq, type, at, data, ref_stream, ref_seq)
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])`

const columns = ['stream', 'seq', 'type', 'at', 'data', 'ref_stream', 'ref_seq'] as const

export class WriteTransaction implements WritingEngine {
  readonly dialect = postgresDialect
  readonly #connection: PostgresConnection
  readonly #time: ServerTime
  readonly #locks: StreamLocks
  #streams: readonly StreamName[] = []
  #held = 0
  #failure: unknown

  constructor(connection: PostgresConnection, time: ServerTime, locks: StreamLocks) {
    this.#connection = connection
    this.#time = time
    this.#locks = locks
    this.#hold(begin)
  }

  async lockStreams(names: readonly StreamName[]): Promise<LockedStreams> {
    this.#streams = names
    const statements = names.length === 0 ? [readTime] : this.#locks.lock(names)
    for (const statement of statements.slice(0, -1)) this.#hold(statement)
    const rows = await this.execute(statements.at(-1) ?? readTime)
    if (names.length > rows.length) {
      this.#locks.forget(names)
      throw new StreamGone()
    }
    return this.#lockedBy(rows)
  }

  lockAnother(): undefined {
    this.#held = 0
    this.#connection.dropHeld()
  }

  /** Locks the streams that are free and returns the heads of those. */
  async lockFree(names: readonly StreamName[]): Promise<LockedStreams> {
    if (names.length === 0) return this.lockStreams(names)
    const locked = this.#lockedBy(await this.execute(this.#locks.lockFree(names)))
    this.#streams = [...locked.heads.keys()]
    return locked
  }

  #lockedBy(rows: readonly Row[]): LockedStreams {
    const heads = new Map(rows.map((row) => [row['name'] as StreamName, row['head'] as number]))
    const now = rows.at(-1)?.['now']
    return now === undefined ? { heads } : { heads, now: this.#time.heard(Number(now)) }
  }

  async execute(query: RunnableQuery): Promise<Row[]> {
    this.#held = 0
    try {
      return await this.#connection.execute(query)
    } catch (error) {
      throw this.#fail(error)
    }
  }

  write(query: RunnableQuery): void | Promise<void> {
    if (++this.#held >= maxHeld) return this.execute(query).then(() => undefined)
    this.#hold(query)
  }

  append(
    events: readonly Tables['events'][],
    moved: ReadonlyMap<StreamName, number>,
  ): void | Promise<void> {
    const [event] = events
    if (event && events.length === 1 && this.#streams.includes(event.stream)) {
      return this.write({
        name: 'hf_append_one',
        sql: appendOne,
        values: columns.map((name) => event[name]),
      })
    }
    const lists = columns.map((name) => events.map((each) => each[name]))
    return this.write({
      name: 'hf_append_many',
      sql: appendMany,
      values: [...lists, [...moved.keys()], [...moved.values()]],
    })
  }

  /**
   * Resolves only when the transaction is durable. An unanswered COMMIT is reported as unknown, not
   * as refused.
   */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#connection.isLost) throw new ConnectionLost('it was lost before the commit')
    let done: string
    try {
      done = await this.#connection.commit()
    } catch (error) {
      // PostgreSQL refused an earlier write and did not reach the COMMIT.
      if (error instanceof Skipped) throw error.cause
      throw isRolledBack(error) ? error : new OutcomeUnknown(reason(error))
    }
    if (done !== 'COMMIT')
      throw this.#failure ?? new Error(`PostgreSQL answered the commit with ${done}`)
    this.#locks.committed(this.#streams)
  }

  rollback(): void {
    this.#connection.rollback()
  }

  #hold(query: RunnableQuery): void {
    this.#connection.hold(query).catch((error) => this.#fail(error))
  }

  /** Keeps the first failure, the cause; later ones only say that the transaction is aborted. */
  #fail(error: unknown): unknown {
    this.#failure ??= error
    return this.#failure
  }
}
