/**
 * Statements about rows of one table, made from the columns that src/store/schema declares. What joins tables, or compares other
 * than by equality, is written with kysely.
 */
import type { Compilable, Expression, Kysely, SelectQueryBuilder, StringReference } from 'kysely'
import type { PageParams } from './page-cursor.ts'
import { type InitialNames, initialValues, type NamesOf, namesOf } from './schema/column.ts'
import { type Tables, tables } from './schema/tables.ts'
import { type Statement, statement } from './statement.ts'

type Table = keyof Tables
type Column<Name extends Table> = keyof Tables[Name] & string
type Key<Name extends Table> = NamesOf<(typeof tables)[Name], 'key'>
type Changing<Name extends Table> = NamesOf<(typeof tables)[Name], 'column'>

/** The builder without the types of its tables; those who call the functions below have them. */
type AnyTable = Kysely<Record<string, Record<string, unknown>>>

const untyped = (db: Kysely<Tables>): AnyTable => db as unknown as AnyTable
const names = (table: Table, use: Parameters<typeof namesOf>[1]): string[] => namesOf(tables[table], use)

const valuesOf = (params: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, (params as Record<string, unknown>)[name]]))

type Initial<Name extends Table> = InitialNames<(typeof tables)[Name]> & Column<Name>
export type NewRow<Name extends Table> = Omit<Tables[Name], Initial<Name>> & Partial<Pick<Tables[Name], Initial<Name>>>

const initialRows = new Map<Table, object>()

/** A new row: what is given, and the initial values of the other columns. */
export function newRow<Name extends Table>(table: Name, given: NewRow<Name>): Tables[Name] {
  const initial = initialRows.get(table) ?? initialValues(tables[table])
  initialRows.set(table, initial)
  return { ...initial, ...given } as Tables[Name]
}

/** Inserts a row with all its columns. */
export const insertRow = <Name extends Table>(table: Name): Statement<Tables[Name], unknown> =>
  statement<Tables[Name]>()((db, p) => insert(db, table, p))

/** Inserts a row; one with the same key stays as it is. */
export const insertOnce = <Name extends Table>(table: Name): Statement<Tables[Name], unknown> =>
  statement<Tables[Name]>()((db, p) => insert(db, table, p).onConflict((conflict) => conflict.doNothing()))

/** Inserts a row, or changes the one with the same key. */
export const putRow = <Name extends Table>(table: Name): Statement<Tables[Name], unknown> =>
  statement<Tables[Name]>()((db, p) =>
    insert(db, table, p).onConflict((conflict) =>
      conflict.columns(names(table, 'key')).doUpdateSet(valuesOf(p, names(table, 'column'))),
    ),
  )

const insert = (db: Kysely<Tables>, table: Table, p: object) =>
  untyped(db)
    .insertInto(table)
    .values(valuesOf(p, Object.keys(tables[table])))

/** Updates every column that may change, besides `except`. */
export const updateRow = <Name extends Table, Except extends Changing<Name> = never>(
  table: Name,
  ...except: readonly Except[]
): Statement<Pick<Tables[Name], Key<Name> | Exclude<Changing<Name>, Except>>, unknown> =>
  update(
    table,
    names(table, 'column').filter((name) => !except.includes(name as Except)),
  )

/** Updates these columns. */
export const updateColumns = <Name extends Table, Changed extends Changing<Name>>(
  table: Name,
  ...changed: readonly Changed[]
): Statement<Pick<Tables[Name], Key<Name> | Changed>, unknown> => update(table, changed as readonly string[])

const update = (table: Table, changed: readonly string[]): Statement<object, unknown> =>
  statement<object>()((db, p) =>
    where(untyped(db).updateTable(table).set(valuesOf(p, changed)), valuesOf(p, names(table, 'key'))),
  )

/** One column or several, or columns by the names of their parameters. */
type By<Name extends Table> = Column<Name> | readonly Column<Name>[] | Readonly<Record<string, Column<Name>>>
type ParamsOf<Name extends Table, Which> =
  Which extends Column<Name>
    ? Pick<Tables[Name], Which>
    : Which extends readonly Column<Name>[]
      ? Pick<Tables[Name], Which[number]>
      : { [Param in keyof Which]: Tables[Name][Which[Param] & Column<Name>] }

function valuesBy(by: string | readonly string[] | Readonly<Record<string, string>>, params: unknown): Record<string, unknown> {
  const given = params as Record<string, unknown>
  if (typeof by === 'string') return { [by]: given[by] }
  if (Array.isArray(by)) return valuesOf(given, by)
  return Object.fromEntries(Object.entries(by).map(([param, column]) => [column, given[param]]))
}

/** Selects the rows that have these values, in the order of the given columns. */
export const selectBy = <Name extends Table, const Which extends By<Name>>(
  table: Name,
  by: Which,
  ...order: readonly Column<Name>[]
): Statement<ParamsOf<Name, Which>, Tables[Name]> =>
  statement<ParamsOf<Name, Which>>()((db, p) => {
    const rows = where(untyped(db).selectFrom<string>(table).selectAll(), valuesBy(by, p))
    return order.reduce((query, column) => query.orderBy(column), rows) as Compilable<unknown> as Compilable<Tables[Name]>
  })

/** Selects some columns of the rows that have these values. */
export const selectColumns = <Name extends Table, const Which extends By<Name>, Selected extends Column<Name>>(
  table: Name,
  by: Which,
  ...columns: readonly Selected[]
): Statement<ParamsOf<Name, Which>, Pick<Tables[Name], Selected>> =>
  statement<ParamsOf<Name, Which>>()((db, p) => {
    const rows = where(untyped(db).selectFrom<string>(table).select(columns), valuesBy(by, p))
    return rows as Compilable<unknown> as Compilable<Pick<Tables[Name], Selected>>
  })

/** Deletes the rows that have these values. */
export const deleteBy = <Name extends Table, const Which extends By<Name>>(
  table: Name,
  by: Which,
): Statement<ParamsOf<Name, Which>, unknown> =>
  statement<ParamsOf<Name, Which>>()((db, p) => where(untyped(db).deleteFrom<string>(table), valuesBy(by, p)))

/** The values of some columns; null: the column is empty; undefined: it has any value. */
type Values<Name extends Table> = { readonly [C in Column<Name>]?: Tables[Name][C] | Expression<Tables[Name][C]> | undefined }

/** Begins a query about the rows that have these values. */
export const from = <Name extends Table>(
  db: Kysely<Tables>,
  table: Name,
  values: Values<Name>,
): SelectQueryBuilder<Tables, Name, Record<never, never>> => where(untyped(db).selectFrom<string>(table), values) as never

/** The same with all columns. */
export const rowsOf = <Name extends Table>(
  db: Kysely<Tables>,
  table: Name,
  values: Values<Name>,
): SelectQueryBuilder<Tables, Name, Tables[Name]> => from(db, table, values).selectAll() as never

/** The next page of a list by time: what is older than the last item seen, newest first. */
export const pageOf = <Db, From extends keyof Db, Row>(
  query: SelectQueryBuilder<Db, From, Row>,
  { createdAt, id, limit }: PageParams,
  timeColumn: StringReference<Db, From>,
  idColumn: StringReference<Db, From>,
): SelectQueryBuilder<Db, From, Row> =>
  query
    .where(({ eb, refTuple, tuple }) => eb(refTuple(timeColumn, idColumn), '<', tuple(createdAt, id) as never))
    .orderBy(timeColumn, 'desc')
    .orderBy(idColumn, 'desc')
    .limit(limit)

interface Filtered<Query> {
  where(column: string, operator: '=' | 'is', value: unknown): Query
}

const where = <Query extends Filtered<Query>>(query: Query, values: object): Query =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .reduce((found, [column, value]) => found.where(column, value === null ? 'is' : '=', value), query)
