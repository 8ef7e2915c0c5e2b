/**
 * Reading connections. Each `read` has its own for the duration of its snapshot, so it never waits for the writer or sees half a
 * commit. Opened on demand and reused.
 */
import { Refusal } from '../../domain/errors.ts'
import { SqliteConnection } from './connection.ts'
import { toReadError } from './failures.ts'

const maxConnections = 8
const maxWaiting = 10_000

export class SqliteReaders {
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
