/** How SQLite spells things. */
import { type LimitNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { builderFor } from '../statement.ts'

/**
 * SQLite plans by the value of a bare `limit ?`, so it prepares the statement anew each time that value is bound: a point read
 * then takes 30 µs instead of 5. It does not look into an expression.
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
}
