/**
 * How the columns of a table are declared: with the type of their values, whether they change, and
 * what a new row has in them.
 */

/** `key`: names the row. `fixed`: written with the row and never again. `column`: may change. */
export type Use = 'key' | 'fixed' | 'column'

export interface Column<Value, Used extends Use = Use> {
  readonly use: Used
  /** Carries the type; never read. */
  readonly value?: (value: Value) => Value
}

export interface InitialColumn<Value, Used extends Use = Use> extends Column<Value, Used> {
  readonly initial: Value
}

export interface Declare<Used extends Use> {
  <Value>(): Column<Value, Used>
  <Value>(initial: Value): InitialColumn<Value, Used>
}

const declare =
  <Used extends Use>(use: Used): Declare<Used> =>
  <Value>(...initial: readonly Value[]) =>
    (initial.length === 0 ? { use } : { use, initial: initial[0] }) as InitialColumn<Value, Used>

export const key = declare('key')
export const fixed = declare('fixed')
export const column = declare('column')

export type RowOf<Table> = {
  [Name in keyof Table]: Table[Name] extends Column<infer Value> ? Value : never
}

/** The names of the columns of one use. */
export type NamesOf<Table, Used extends Use> = NamesWith<Table, { readonly use: Used }>

/** The names of the columns that a new row need not be given. */
export type InitialNames<Table> = NamesWith<Table, { readonly initial: unknown }>

type NamesWith<Table, Kind> = {
  [Name in keyof Table]: Table[Name] extends Kind ? Name : never
}[keyof Table]

type AnyTable = Readonly<Record<string, { readonly use: Use; readonly initial?: unknown }>>

export const namesOf = (table: AnyTable, use: Use): string[] =>
  Object.keys(table).filter((name) => table[name]?.use === use)

export const initialValues = (table: AnyTable): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, column]) =>
      'initial' in column ? [[name, column.initial]] : [],
    ),
  )
