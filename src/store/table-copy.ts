/** Copies every table from one engine to another, row by row as they are. The target has the same tables, empty. */
import { sql } from 'kysely'
import type { Engine } from './engine.ts'
import { compile } from './statement.ts'
import type { Reader } from './store.ts'
import { pageLengthOf, pagesOf, type TableName, tableNames } from './table-pages.ts'

/** Puts what is written between two calls into one transaction, where the target wants that. */
type EachPage = (write: () => Promise<void>) => Promise<void>

export async function copyTables(
  from: Reader,
  to: Engine,
  eachPage: EachPage = (write) => write(),
): Promise<Map<TableName, number>> {
  const copied = new Map<TableName, number>()
  const fullPages = new Map<TableName, string>()
  // A new database says who it is; the copy is who the original is.
  await to.execute({ sql: 'delete from meta', values: [] })
  for (const table of tableNames) {
    for await (const page of pagesOf(from, table)) {
      await eachPage(() => insert(to, table, page, fullPages))
      copied.set(table, (copied.get(table) ?? 0) + page.length)
    }
  }
  return copied
}

/** One statement for a page. A full page's is the same each time: written once, and prepared once where that goes by name. */
async function insert(to: Engine, table: TableName, rows: readonly object[], fullPages: Map<TableName, string>): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const isFull = rows.length === pageLengthOf(table)
  const known = isFull ? fullPages.get(table) : undefined
  const text = known ?? compile(to.dialect, (db) => ({ compile: () => insertOf(table, columns, rows.length).compile(db) })).sql
  if (isFull) fullPages.set(table, text)
  const values = rows.flatMap((row) => columns.map((column) => (row as Record<string, unknown>)[column]))
  await to.execute({ sql: text, values, ...(isFull ? { name: `copy_${table}` } : {}) })
}

/** With a place for each value; what stands there does not matter. */
function insertOf(table: TableName, columns: readonly string[], rows: number) {
  const row = sql`(${sql.join(columns.map(() => 0))})`
  const names = sql.join(columns.map((column) => sql.ref(column)))
  return sql`insert into ${sql.table(table)} (${names}) values ${sql.join(Array.from({ length: rows }, () => row))}`
}
