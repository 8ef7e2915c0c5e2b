/**
 * The connection that migrates the schema. Each step is a transaction under a database-wide lock,
 * so nodes that start together migrate once. Steps have no time limit.
 */
import type { Row } from '../engine.ts'
import type { MigratingEngine } from '../migrate.ts'
import type { RunnableQuery } from '../statement.ts'
import { PostgresConnection } from './connection.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { postgresDialect } from './dialect.ts'

/** 'HOLD' in ASCII, as the key of the advisory lock. */
const lockKey = 0x484f4c44
const limits = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']

export class MigratingConnection implements MigratingEngine {
  readonly dialect = postgresDialect
  readonly #connection: PostgresConnection

  private constructor(connection: PostgresConnection) {
    this.#connection = connection
  }

  static async open(options: ConnectionOptions): Promise<MigratingConnection> {
    const connection = await PostgresConnection.open({ ...options, answerMs: 0 })
    await connection.execute({
      sql: `select ${limits.map((limit) => `set_config('${limit}', '0', false)`).join(', ')}`,
      values: [],
    })
    return new MigratingConnection(connection)
  }

  execute(query: RunnableQuery): Promise<Row[]> {
    return this.#connection.execute(query)
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    await this.#connection.execute({ sql: 'begin', values: [] })
    try {
      await this.#connection.execute({ sql: 'select pg_advisory_xact_lock($1)', values: [lockKey] })
      await work()
      await this.#connection.commit()
    } catch (error) {
      this.#connection.rollback()
      throw error
    }
  }

  /** Turns the connection into an ordinary one after the migration. */
  async intoOrdinary(options: ConnectionOptions): Promise<PostgresConnection> {
    await this.#connection.setUp(options)
    return this.#connection
  }

  end(): Promise<void> {
    return this.#connection.end()
  }
}
