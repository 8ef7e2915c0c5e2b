/** How statements are spelled for SQLite. */
import { expect, test } from 'vitest'
import { sqliteDialect } from '../../src/store/sqlite/connection.ts'
import { bind, statement } from '../../src/store/statement.ts'

const few = statement<{ limit: number }>()((db, p) =>
  db.selectFrom('projects').select('id').limit(p.limit),
)

test('[SP8] a limit is never bound bare, which would prepare the statement each time', () => {
  expect(bind(sqliteDialect, few, { limit: 5 })).toMatchObject({
    sql: 'select "id" from "projects" limit cast(? as integer)',
    values: [5],
  })
})
