/**
 * Statements sent to PostgreSQL in one write and one round trip, with one `Sync` at the end. When
 * one fails, PostgreSQL skips the rest. A named statement is prepared at its first use on a
 * connection; its columns are cached from then on. Replaces the driver's query object, which sends
 * a `Sync` and a description for every statement.
 */
import type pg from 'pg'
import type { Row } from '../engine.ts'
import type { RunnableQuery } from '../statement.ts'
import type { Messages } from './messages.ts'

/** Converts values to and from PostgreSQL's text format. */
export type Columns = readonly {
  readonly name: string
  readonly parse: (text: string) => unknown
}[]

const asText = (text: string): string => text

/**
 * Booleans become 1 and 0 and numbers become numbers, as with SQLite. All of them stay far below
 * 2^53.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, Number],
  [21, Number],
  [23, Number],
  [701, Number],
  [1700, Number],
])

const columnsOf = (fields: readonly pg.FieldDef[]): Columns =>
  fields.map(({ name, dataTypeID }) => ({ name, parse: parsers.get(dataTypeID) ?? asText }))

function rowOf(columns: Columns, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at]
    const text = fields[at]
    if (column) row[column.name] = text === null || text === undefined ? null : column.parse(text)
  }
  return row
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`
  throw new TypeError(
    `A statement was given a value that is no text, number or list (${typeof value})`,
  )
}

const elementOf = (value: unknown): string => {
  const text = textOf(value)
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

export interface Sent {
  readonly query: RunnableQuery
  /**
   * Rows and the command that was executed: PostgreSQL answers the COMMIT of a failed transaction
   * with ROLLBACK.
   */
  done(rows: Row[], command: string): void
  failed(error: Error): void
}

/**
 * A statement that was not executed because an earlier one of its batch failed with `cause`. Only
 * COMMIT needs the distinction.
 */
export class Skipped extends Error {
  constructor(cause: Error) {
    super('a statement before this one failed', { cause })
    this.name = 'Skipped'
  }
}

/**
 * The columns of each prepared statement by name, or `unsure` when a failure left open whether it
 * was prepared.
 */
type Prepared = Map<string, Columns | 'unsure'>

export interface ConnectionState {
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
  /**
   * Results, delivered when the whole batch has ended, so that the connection is free before its
   * next use.
   */
  #answers: (() => void)[] = []

  constructor(
    statements: readonly Sent[],
    { prepared, messages }: ConnectionState,
    onEnd: () => void,
  ) {
    this.#statements = statements
    // All values before anything is sent: half a batch could not be undone.
    this.#values = statements.map(({ query }) => query.values.map(textOf))
    this.#prepared = prepared
    this.#messages = messages
    this.#onEnd = onEnd
  }

  submit(connection: pg.Connection): void {
    const messages = this.#messages
    messages.begin()
    this.#statements.forEach(({ query: { name = '', sql } }, at) => {
      const prepared = name === '' ? undefined : this.#prepared.get(name)
      if (prepared === 'unsure') messages.close(name)
      const describe = prepared === undefined || prepared === 'unsure'
      if (describe) messages.parse(name, sql)
      messages.bind(name, this.#values[at] ?? [])
      if (describe) messages.describe()
      messages.execute()
      // Used twice in one batch: the second use finds it prepared and its columns known.
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
    // Also a statement that was prepared earlier: a change of its table may be the cause.
    if (failed?.query.name !== undefined) this.#prepared.set(failed.query.name, 'unsure')
    for (const { query } of skipped) {
      if (query.name !== undefined && this.#preparing.has(query.name))
        this.#prepared.set(query.name, 'unsure')
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
    const prepared = name === undefined ? undefined : this.#prepared.get(name)
    this.#columns = prepared === undefined || prepared === 'unsure' ? [] : prepared
    this.#rows = []
  }

  #end(): void {
    this.#onEnd()
    for (const answer of this.#answers.splice(0)) answer()
  }
}
