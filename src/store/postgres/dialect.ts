/** How PostgreSQL spells things. */
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { builderFor } from '../statement.ts'

export const postgresDialect: Dialect = {
  name: 'postgres',
  builder: builderFor({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }),
  // Whatever the database was created with: a locale would sort names in another order than SQLite and JavaScript do.
  text: 'text collate "C"',
  clustered: '',
}
