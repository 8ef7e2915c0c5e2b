/** The SQL of PostgreSQL. */
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
  // Independent of the database's locale, which would sort names differently from SQLite and
  // JavaScript.
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
