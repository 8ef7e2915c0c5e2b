/** How SQLite spells things. */
import { type LimitNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { builderFor } from '../statement.ts'

/**
 * A statement with a bare `limit ?` costs about as much more, each time it is run, as preparing it: one over four tables took 30 µs
 * instead of 5. Most likely SQLite plans by the bound value, and so plans again. It does not look into an expression.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit cast(')
    this.visitNode(node.limit)
    this.append(' as integer)')
  }
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  builder: builderFor({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  }),
  text: 'text',
  clustered: 'without rowid',
  search: {
    // Without the text and without positions: what is found is compared in the messages themselves. The tokenizer `ascii` splits
    // at ASCII punctuation and spaces only, and the terms hold neither, so it takes them as they are.
    createTerms: [
      `create virtual table search_terms using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
    ],
    terms: (terms) => sql<string>`${terms}`,
    // Terms in lower case with a star behind some are FTS5's own language already: its keywords are in capitals.
    hasAll: (wanted) => sql<boolean>`search_terms match ${wanted}`,
  },
}
