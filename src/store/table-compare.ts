/** Compares every table of two engines row by row, each read in the order of its key. Memory stays the same however long they are. */
import type { Reader } from './store.ts'
import { pagesOf, type TableName, tableNames } from './table-pages.ts'

/** What a copy says of itself: its incarnation is its own, and so are when it was made and the key its nodes have. */
const ofTheCopyItself: ReadonlySet<unknown> = new Set(['incarnation', 'backed_up_at', 'sealing_key'])

export interface Comparison {
  readonly rows: number
  /** The first row that is not the same; null: all are. */
  readonly difference: { readonly table: TableName; readonly row: number } | null
}

export async function compareTables(one: Reader, other: Reader): Promise<Comparison> {
  let rows = 0
  for (const table of tableNames) {
    const [ours, theirs] = [rowsOf(one, table), rowsOf(other, table)]
    for (let row = 1; ; row++) {
      const [mine, its] = [await ours.next(), await theirs.next()]
      if (mine.done && its.done) break
      if (mine.done || its.done || mine.value !== its.value) return { rows, difference: { table, row } }
      rows++
    }
  }
  return { rows, difference: null }
}

/** Each row as text, its columns in one order, numbers as they are written: the engines' drivers give some of them as strings. */
async function* rowsOf(reader: Reader, table: TableName): AsyncGenerator<string> {
  for await (const page of pagesOf(reader, table)) {
    for (const row of page as unknown as readonly Record<string, unknown>[]) {
      if (table === 'meta' && ofTheCopyItself.has(row['key'])) continue
      const columns = Object.keys(row).sort()
      yield JSON.stringify(columns.map((column) => [column, row[column] === null ? null : String(row[column])]))
    }
  }
}
