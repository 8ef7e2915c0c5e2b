/** How the columns of a table are declared: with the type of their values, and whether they change. */

/** `key`: names the row. `fixed`: written with the row and never again. `column`: may change. */
type Use = 'key' | 'fixed' | 'column'

interface Column<Value, Used extends Use = Use> {
  readonly use: Used
  /** Carries the type; never read. */
  readonly value?: (value: Value) => Value
}

export const key = <Value>(): Column<Value, 'key'> => ({ use: 'key' })
export const fixed = <Value>(): Column<Value, 'fixed'> => ({ use: 'fixed' })
export const column = <Value>(): Column<Value, 'column'> => ({ use: 'column' })

/** The rows of a table. */
export type RowOf<Table> = { [Name in keyof Table]: Table[Name] extends Column<infer Value> ? Value : never }

/** The names of the columns of one use. */
export type NamesOf<Table, Used extends Use> = {
  [Name in keyof Table]: Table[Name] extends { readonly use: Used } ? Name : never
}[keyof Table]

export const namesOf = (table: Readonly<Record<string, { readonly use: Use }>>, ...uses: readonly Use[]): string[] =>
  Object.keys(table).filter((name) => uses.some((use) => use === table[name]?.use))
