/** Copies and compares whole tables between two stores, page by page. */
import { type Compilable, type Kysely, sql } from 'kysely'
import type { Engine } from './engine.ts'
import { namesOf } from './schema/column.ts'
import { searchTables } from './schema/conversations.ts'
import { type Tables, tables } from './schema/tables.ts'
import { compile } from './statement.ts'
import type { Reader } from './store.ts'

/**
 * Reads all rows of a table page by page in key order, so memory use does not depend on the size of
 * the table. For backup, restore and the deep check; never on the request path.
 */
export const rowsPerPage = 500
const largeRowsPerPage = 25
const largeRows: ReadonlySet<string> = new Set(['upload_parts', 'question_answers'])

/**
 * Tables that are derived from others when a store is opened. Backups leave them out; each engine
 * has its own form.
 */
type DerivedTable = keyof typeof searchTables

export type TableName = Exclude<keyof Tables, DerivedTable>

const pageLengthOf = (table: TableName): number =>
  largeRows.has(table) ? largeRowsPerPage : rowsPerPage

export const tableNames = (Object.keys(tables) as (keyof Tables)[]).filter(
  (name): name is TableName => !(name in searchTables),
)

export async function* pagesOf<Name extends TableName>(
  reader: Reader,
  table: Name,
): AsyncGenerator<Tables[Name][]> {
  const keys = namesOf(tables[table], 'key')
  for (let last: readonly unknown[] | undefined; ; ) {
    const after = last
    const page = await reader.query<Tables[Name]>((db) => pageAfter(db, table, keys, after))
    if (page.length > 0) yield page
    const row = page.at(-1) as Record<string, unknown> | undefined
    if (!row || page.length < pageLengthOf(table)) return
    last = keys.map((key) => row[key])
  }
}

function pageAfter<Row>(
  db: Kysely<Tables>,
  table: TableName,
  keys: readonly string[],
  after: readonly unknown[] | undefined,
): Compilable<Row> {
  const key = sql.join(keys.map((each) => sql.ref(each)))
  const where = after ? sql`where (${key}) > (${sql.join(after)})` : sql``
  const query = sql<Row>`select * from ${sql.table(table)} ${where} order by ${key} limit ${sql.lit(pageLengthOf(table))}`
  return { compile: () => query.compile(db) }
}

/**
 * Keys of `meta` that belong to the copy itself: its incarnation, when it was made, and the id of
 * its sealing key.
 */
const keysOfCopyOnly: ReadonlySet<unknown> = new Set(['incarnation', 'backed_up_at', 'sealing_key'])

/** The result of comparing every table of two engines row by row in key order. */
export interface Comparison {
  readonly rows: number
  /** The first row that differs; null when none does. */
  readonly difference: { readonly table: TableName; readonly row: number } | null
}

export async function compareTables(one: Reader, other: Reader): Promise<Comparison> {
  let rows = 0
  for (const table of tableNames) {
    const [ours, theirs] = [rowsOf(one, table), rowsOf(other, table)]
    for (let row = 1; ; row++) {
      const [mine, theirRow] = [await ours.next(), await theirs.next()]
      if (mine.done && theirRow.done) break
      if (mine.done || theirRow.done || mine.value !== theirRow.value)
        return { rows, difference: { table, row } }
      rows++
    }
  }
  return { rows, difference: null }
}

/**
 * Yields each row as text, columns in a fixed order. Some drivers return numbers as strings, so all
 * are made alike.
 */
async function* rowsOf(reader: Reader, table: TableName): AsyncGenerator<string> {
  for await (const page of pagesOf(reader, table)) {
    for (const row of page as unknown as readonly Record<string, unknown>[]) {
      if (table === 'meta' && keysOfCopyOnly.has(row['key'])) continue
      const columns = Object.keys(row).sort()
      yield JSON.stringify(
        columns.map((column) => [column, row[column] === null ? null : String(row[column])]),
      )
    }
  }
}

/** Runs the writes of one page in a transaction, where the target needs one. */
type EachPage = (write: () => Promise<void>) => Promise<void>

/**
 * Copies every table from one engine to another, row by row. The target has the same tables, empty.
 */
export async function copyTables(
  from: Reader,
  to: Engine,
  eachPage: EachPage = (write) => write(),
): Promise<Map<TableName, number>> {
  const copied = new Map<TableName, number>()
  const fullPages = new Map<TableName, string>()
  // The new database has its own identity; the copy takes that of the original.
  await to.execute({ sql: 'delete from meta', values: [] })
  for (const table of tableNames) {
    for await (const page of pagesOf(from, table)) {
      await eachPage(() => insert(to, table, page, fullPages))
      copied.set(table, (copied.get(table) ?? 0) + page.length)
    }
  }
  return copied
}

/**
 * Inserts a page with one statement. Full pages share one statement, so it is compiled and prepared
 * once.
 */
async function insert(
  to: Engine,
  table: TableName,
  rows: readonly object[],
  fullPages: Map<TableName, string>,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const isFull = rows.length === pageLengthOf(table)
  const page = isFull ? fullPages.get(table) : undefined
  const text =
    page ??
    compile(to.dialect, (db) => ({
      compile: () => insertOf(table, columns, rows.length).compile(db),
    })).sql
  if (isFull) fullPages.set(table, text)
  const values = rows.flatMap((row) =>
    columns.map((column) => (row as Record<string, unknown>)[column]),
  )
  await to.execute({ sql: text, values, ...(isFull ? { name: `copy_${table}` } : {}) })
}

/** Builds the insert statement with one parameter for each value. */
function insertOf(table: TableName, columns: readonly string[], rows: number) {
  const row = sql`(${sql.join(columns.map(() => 0))})`
  const names = sql.join(columns.map((column) => sql.ref(column)))
  return sql`insert into ${sql.table(table)} (${names}) values ${sql.join(Array.from({ length: rows }, () => row))}`
}
