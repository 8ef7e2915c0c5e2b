/** One step forward of the schema: a list of statements that run in one transaction. Never changed once released. */
import type { Dialect } from '../dialect.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: (dialect: Dialect) => readonly string[]
}
