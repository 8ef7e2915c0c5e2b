/**
 * What a migration is. A new one is written with `plainSql`; up to 42 they have a notation of their
 * own.
 */
import type { Dialect } from '../dialect.ts'

/**
 * One step forward of the schema: a list of statements that run in one transaction. Never changed
 * once released.
 */
export type Step = (words: Words) => readonly string[]

/**
 * A migration in plain SQL, for both engines: statements that end with `;` at the end of a line.
 * Columns of text are of the type `text` of the dialect, without which PostgreSQL sorts otherwise.
 */
export const plainSql =
  (script: (dialect: Dialect) => string): Step =>
  (dialect) =>
    script(dialect)
      .split(/;$/m)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')

interface Words extends Dialect {
  /**
   * Columns of a table, separated by spaces: `name`, text that is never null; `?` it may be null;
   * `:bigint` of this type; `*` the key; `!` unique; `=0` or `='new'` what existing rows have.
   */
  readonly columns: (list: string) => string
  /** The statements that add columns to a table. */
  readonly added: (table: string, list: string) => string[]
}

export interface Migration {
  readonly version: number
  readonly statements: (dialect: Dialect) => readonly string[]
}

/** The migrations of the steps, numbered from 1. */
export const numbered = (steps: readonly Step[]): Migration[] =>
  steps.map((step, index) => ({
    version: index + 1,
    statements: (dialect) => step(wordsOf(dialect)),
  }))

function wordsOf(dialect: Dialect): Words {
  const columnsIn = (list: string) =>
    list
      .trim()
      .split(/\s+/)
      .map((column) => columnSql(column, dialect.text))
  return {
    ...dialect,
    columns: (list) => columnsIn(list).join(', '),
    added: (table, list) =>
      columnsIn(list).map((column) => `alter table ${table} add column ${column}`),
  }
}

function columnSql(column: string, text: string): string {
  const {
    name,
    type = text,
    mark,
    initial,
  } = /^(?<name>\w+)(:(?<type>\w+))?(?<mark>[*?!]*)(=(?<initial>.+))?$/.exec(column)?.groups ?? {}
  if (name === undefined || mark === undefined) throw new Error(`Not a column: ${column}`)
  if (mark === '*') return `${name} ${type} primary key`
  const words = [
    name,
    type,
    !mark.includes('?') && 'not null',
    mark.includes('!') && 'unique',
    initial && `default ${initial}`,
  ]
  return words.filter(Boolean).join(' ')
}
