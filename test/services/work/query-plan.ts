/**
 * How SQLite goes about what a query function asks: whether through an index alone, however many
 * rows there are.
 */
import { DatabaseSync } from 'node:sqlite'
import { rowStatement } from '../../../src/store/rows.ts'
import { sqliteDialect } from '../../../src/store/sqlite/connection.ts'
import { bind, compile, type RunnableQuery } from '../../../src/store/statement.ts'
import type { Reader } from '../../../src/store/store.ts'

/**
 * One line for each step of each query; a sort or a look through a whole table is a line that says
 * so.
 */
export async function planOf(
  file: string,
  ask: (reader: Reader) => Promise<unknown>,
): Promise<string[]> {
  const asked: RunnableQuery[] = []
  await ask({
    all: async (statement, params) => {
      asked.push(bind(sqliteDialect, statement, params))
      return []
    },
    first: async (statement, params) => {
      asked.push(bind(sqliteDialect, statement, params))
      return undefined
    },
    row: async (table, key) => {
      asked.push(bind(sqliteDialect, rowStatement.find(table, key), key))
      return undefined
    },
    rows: async (table, values, ...order) => {
      asked.push(bind(sqliteDialect, rowStatement.find(table, values, order), values))
      return []
    },
    query: async (build) => {
      asked.push(compile(sqliteDialect, build))
      return []
    },
  })
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return asked.flatMap(({ sql, values }) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all(...(values as (string | number)[]))
        .map(({ detail }) => String(detail)),
    )
  } finally {
    database.close()
  }
}
