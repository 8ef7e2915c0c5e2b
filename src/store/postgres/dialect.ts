/** How PostgreSQL spells things. */
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
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
  search: {
    createTerms: [
      'create table search_terms (rowid bigint primary key, terms tsvector not null)',
      'create index search_terms_found on search_terms using gin (terms)',
    ],
    terms: (terms) => sql<string>`array_to_tsvector(string_to_array(${terms}, ' '))`,
    // a b* becomes 'a' & 'b':*
    hasAll: (wanted) =>
      sql<boolean>`terms @@ replace(replace(regexp_replace(${wanted}, '[^ *]+', '''\\&''', 'g'), '*', ':*'), ' ', ' & ')::tsquery`,
  },
}
