/** How SQLite spells things. */
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { builderFor } from '../statement.ts'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  builder: builderFor({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }),
  text: 'text',
  clustered: 'without rowid',
}
