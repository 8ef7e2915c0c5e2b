/**
 * The store on one SQLite file: a writer thread, reading connections, a doorbell in the process.
 */

import { statSync } from 'node:fs'
import { Refusal } from '../../domain/errors.ts'
import { instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { machineTimeZone as timeZone } from '../../platform/time/local-zone.ts'
import { LocalDoorbell } from '../log/doorbell.ts'
import { selectEventsAfter, selectPosition, selectStreamsAfter } from '../log/event-log.ts'
import { EngineReader } from '../log/reader.ts'
import type { Identity } from '../migrate.ts'
import { bind, type Statement } from '../statement.ts'
import type {
  Query,
  Reader,
  ReceiptKey,
  Store,
  StoredEvent,
  StoreFigures,
  StreamPosition,
  UseCase,
} from '../store.ts'
import { SqliteConnection, sqliteDialect } from './connection.ts'
import { toReadError } from './failures.ts'
import { SqliteWriter, startWriter } from './writer.ts'
import type { StartWriter } from './writer-messages.ts'

const maxConnections = 8
const maxWaiting = 10_000

/**
 * Reading connections. Each `read` has its own for the duration of its snapshot, so it never waits
 * for the writer or sees half a commit. Opened on demand and reused.
 */
class SqliteReaders {
  readonly #file: string
  #free: SqliteConnection[] = []
  #open = 0
  #waiting: ((connection: SqliteConnection) => void)[] = []
  #closed = false

  constructor(file: string) {
    this.#file = file
  }

  /** Runs one synchronous statement and returns the connection at once. */
  now<T>(work: (connection: SqliteConnection) => T): T | Promise<T> {
    const connection = this.#free.pop() ?? this.#openAnother()
    if (!connection) return this.#wait().then((waited) => this.#finish(waited, () => work(waited)))
    return this.#finish(connection, () => work(connection))
  }

  /** Lends a connection without a snapshot: each statement sees the latest commit. */
  async lend<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    const connection = this.#free.pop() ?? this.#openAnother() ?? (await this.#wait())
    try {
      return await work(connection)
    } catch (error) {
      throw toReadError(error)
    } finally {
      this.#giveBack(connection)
    }
  }

  snapshot<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    return this.lend(async (connection) => {
      try {
        connection.command('begin')
        return await work(connection)
      } finally {
        if (connection.inTransaction) connection.command('rollback')
      }
    })
  }

  close(): void {
    this.#closed = true
    for (const connection of this.#free.splice(0)) connection.close()
  }

  #finish<T>(connection: SqliteConnection, work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toReadError(error)
    } finally {
      this.#giveBack(connection)
    }
  }

  #openAnother(): SqliteConnection | undefined {
    if (this.#closed) throw new Refusal('shutting_down')
    if (this.#open >= maxConnections) return undefined
    try {
      const connection = SqliteConnection.openReader(this.#file)
      this.#open++
      return connection
    } catch (error) {
      throw toReadError(error)
    }
  }

  #wait(): Promise<SqliteConnection> {
    if (this.#waiting.length >= maxWaiting) return Promise.reject(new Refusal('busy'))
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #giveBack(connection: SqliteConnection): void {
    const next = this.#waiting.shift()
    if (next) return next(connection)
    if (this.#closed) return connection.close()
    this.#free.push(connection)
  }
}

export interface SqliteOptions {
  readonly file: string
  readonly clock: Clock
  /** The entry of the writer thread, which lists its use cases (src/compose/writer.ts). */
  readonly writerUrl: URL
  /** Starts the writer thread; a new thread for this store when left out. */
  readonly startThread?: StartWriter
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, clock, writerUrl, startThread = startWriter } = options
  const doorbell = new LocalDoorbell()
  const start = { file, now: instant(clock.now()) }
  const writer = new SqliteWriter(start, writerUrl, startThread, doorbell)
  return new SqliteStore(file, clock, doorbell, writer, await writer.opened)
}

class SqliteStore implements Store {
  readonly id: string
  readonly incarnation: string
  readonly doorbell: LocalDoorbell
  /** A single writer runs the use cases in order. */
  readonly inOrder = true
  readonly #file: string
  readonly #clock: Clock
  readonly #writer: SqliteWriter
  readonly #readers: SqliteReaders
  /** The last time that was formatted; many calls fall into one millisecond. */
  #lastNow = { ms: Number.NaN, text: '' }

  constructor(
    file: string,
    clock: Clock,
    doorbell: LocalDoorbell,
    writer: SqliteWriter,
    identity: Identity,
  ) {
    this.id = identity.id
    this.incarnation = identity.incarnation
    this.doorbell = doorbell
    this.#file = file
    this.#clock = clock
    this.#writer = writer
    this.#readers = new SqliteReaders(file)
  }

  run<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt?: ReceiptKey,
  ): Promise<Output> {
    return this.#writer.run(useCase.name, { input, receipt, now: this.#now() }) as Promise<Output>
  }

  read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#readers.snapshot((connection) => work(new EngineReader(connection)))
  }

  query<Input, Output>(query: Query<Input, Output>, input: Input): Promise<Output> {
    const work = (connection: SqliteConnection): Promise<Output> =>
      query.run(new EngineReader(connection), input, { now: this.#now(), timeZone })
    return query.withoutSnapshot ? this.#readers.lend(work) : this.#readers.snapshot(work)
  }

  async eventsAfter(stream: StreamName, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#all(selectEventsAfter, { stream, after, limit })
  }

  async positions(streams: readonly StreamName[]): Promise<StreamPosition[]> {
    return this.read(async (reader) => {
      const found: StreamPosition[] = []
      for (const name of streams)
        found.push((await reader.first(selectPosition, { name })) ?? { head: 0, floor: 0 })
      return found
    })
  }

  async streamsAfter(after: string, limit: number): Promise<{ name: StreamName; head: number }[]> {
    return this.#all(selectStreamsAfter, { name: after, limit })
  }

  async check(): Promise<void> {
    if (this.#writer.failure) throw new Refusal('store_unavailable', this.#writer.failure)
    await this.positions(['home'])
  }

  figures(): StoreFigures {
    const walBytes = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    return { waiting: this.#writer.waiting, ...this.#writer.figures, walBytes }
  }

  async close(): Promise<void> {
    // Readers first: the writer is closed last and copies the write-ahead log into the database.
    this.#readers.close()
    await this.#writer.close()
  }

  #now(): string {
    const ms = this.#clock.now()
    if (ms !== this.#lastNow.ms) this.#lastNow = { ms, text: instant(ms) }
    return this.#lastNow.text
  }

  async #all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    const query = bind(sqliteDialect, statement, params)
    return (await this.#readers.now((connection) => connection.execute(query))) as Row[]
  }
}
