/**
 * The tables that people query with SQL have the names and columns that the specification gives to
 * the letter.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, test } from 'vitest'

const text = readFileSync(
  join(import.meta.dirname, '../../docs/spec/background/continuity.md'),
  'utf8',
)
const specified = [...text.matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)^\);$/gm)].map(
  ([, table = '', body = '']) => ({
    table,
    columns: [...body.matchAll(/^ {4}([a-z_]+) /gm)].map(([, column = '']) => column),
  }),
)

test('[WK1] [AP2] [TK1] the tables that people query have all their documented columns', () => {
  expect(specified.map(({ table }) => table)).toEqual(['sessions', 'human_approvals', 'tasks'])
  const database = new DatabaseSync(inject('emptyStore'), { readOnly: true })
  for (const { table, columns } of specified) {
    const there = database.prepare(`select name from pragma_table_info('${table}')`).all()
    expect(there.map(({ name }) => name)).toEqual(expect.arrayContaining(columns))
  }
  database.close()
})
