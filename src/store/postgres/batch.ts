/**
 * Statements that go to PostgreSQL together and come back together: one write, one round trip, one `Sync` at the end. When
 * one fails, PostgreSQL skips those behind it. A statement with a name is prepared by its first use on a connection; its
 * columns are known from then on and not asked for again.
 *
 * Takes the place of the driver's own query object, which spends a `Sync` and a description on every statement.
 */
import type pg from 'pg'
import type { Row } from '../engine.ts'
import type { RunnableQuery } from '../statement.ts'
import type { Messages } from './messages.ts'
import { type Columns, columnsOf, rowOf, textOf } from './values.ts'

export interface Sent {
  readonly query: RunnableQuery
  /** Rows and the command that was done: a COMMIT of a failed transaction is answered with ROLLBACK. */
  done(rows: Row[], command: string): void
  failed(error: Error): void
}

/** Not executed, because one before it in the same batch failed: for what `cause` says. Only a COMMIT needs to know the two apart. */
export class Skipped extends Error {
  constructor(cause: Error) {
    super('a statement before this one failed', { cause })
    this.name = 'Skipped'
  }
}

/** By name: the columns of a prepared statement, or `unsure` when a failure left open whether it was prepared. */
type Prepared = Map<string, Columns | 'unsure'>

/** What a connection keeps from batch to batch. */
export interface Spoken {
  readonly prepared: Prepared
  readonly messages: Messages
}

export class Batch implements pg.Submittable {
  readonly #statements: readonly Sent[]
  readonly #values: (string | null)[][]
  readonly #prepared: Prepared
  readonly #messages: Messages
  readonly #onEnd: () => void
  readonly #preparing = new Set<string>()
  #at = 0
  #columns: Columns = []
  #rows: Row[] = []
  /** Answered, told when the whole batch is: a connection is free again before anybody uses it again. */
  #answers: (() => void)[] = []

  constructor(statements: readonly Sent[], { prepared, messages }: Spoken, onEnd: () => void) {
    this.#statements = statements
    // All of them before anything is sent: half a batch could not be taken back.
    this.#values = statements.map(({ query }) => query.values.map(textOf))
    this.#prepared = prepared
    this.#messages = messages
    this.#onEnd = onEnd
  }

  submit(connection: pg.Connection): void {
    const messages = this.#messages
    messages.begin()
    this.#statements.forEach(({ query: { name = '', sql } }, at) => {
      const known = name === '' ? undefined : this.#prepared.get(name)
      if (known === 'unsure') messages.close(name)
      const describe = known === undefined || known === 'unsure'
      if (describe) messages.parse(name, sql)
      messages.bind(name, this.#values[at] ?? [])
      if (describe) messages.describe()
      messages.execute()
      // Used twice in one batch: prepared by then, and its columns known by the time they are needed.
      if (describe && name !== '') {
        this.#prepared.set(name, [])
        this.#preparing.add(name)
      }
    })
    messages.sync()
    connection.stream.write(messages.bytes)
    this.#expect()
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#columns = columnsOf(fields)
    const name = this.#statements[this.#at]?.query.name
    if (name !== undefined) this.#prepared.set(name, this.#columns)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#rows.push(rowOf(this.#columns, fields))
  }

  handleCommandComplete({ text }: { text: string }): void {
    const statement = this.#statements[this.#at++]
    const rows = this.#rows
    if (statement) this.#answers.push(() => statement.done(rows, text))
    this.#expect()
  }

  handleReadyForQuery(): void {
    this.#end()
  }

  handleError(error: Error): void {
    const [failed, ...skipped] = this.#statements.slice(this.#at)
    // The one that failed also when it was prepared long ago: a change of its table may be why.
    if (failed?.query.name !== undefined) this.#prepared.set(failed.query.name, 'unsure')
    for (const { query } of skipped) {
      if (query.name !== undefined && this.#preparing.has(query.name)) this.#prepared.set(query.name, 'unsure')
    }
    this.#answers.push(() => failed?.failed(error))
    for (const statement of skipped) this.#answers.push(() => statement.failed(new Skipped(error)))
    this.#end()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  #expect(): void {
    const name = this.#statements[this.#at]?.query.name
    const known = name === undefined ? undefined : this.#prepared.get(name)
    this.#columns = known === undefined || known === 'unsure' ? [] : known
    this.#rows = []
  }

  #end(): void {
    this.#onEnd()
    for (const answer of this.#answers.splice(0)) answer()
  }
}
