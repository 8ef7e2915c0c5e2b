/**
 * Statements about rows of one table, made from the columns that src/store/schema declares. What joins tables, or compares other
 * than by equality, is written with kysely.
 */
import type { Compilable, Expression, Kysely, SelectQueryBuilder, StringReference } from 'kysely'
import type { PageParams } from './page-cursor.ts'
import { type InitialNames, initialValues, type NamesOf, namesOf } from './schema/column.ts'
import { type Tables, tables } from './schema/tables.ts'
import { type Statement, statement } from './statement.ts'

export type Table = keyof Tables
type Column<Name extends Table> = keyof Tables[Name] & string
type Key<Name extends Table> = NamesOf<(typeof tables)[Name], 'key'>
export type KeyOf<Name extends Table> = Pick<Tables[Name], Key<Name>>
/** The key of a row, and columns that are changed. */
export type SomeColumns<Name extends Table> = KeyOf<Name> &
  Partial<Pick<Tables[Name], Changing<Name>>>
type Changing<Name extends Table> = NamesOf<(typeof tables)[Name], 'column'>

/** The builder without the types of its tables; those who call the functions below have them. */
type AnyTable = Kysely<Record<string, Record<string, unknown>>>

const untyped = (db: Kysely<Tables>): AnyTable => db as unknown as AnyTable
const names = (table: Table, use: Parameters<typeof namesOf>[1]): string[] =>
  namesOf(tables[table], use)

const valuesOf = (params: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, (params as Record<string, unknown>)[name]]))

type Initial<Name extends Table> = InitialNames<(typeof tables)[Name]> & Column<Name>
export type NewRow<Name extends Table> = Omit<Tables[Name], Initial<Name>> &
  Partial<Pick<Tables[Name], Initial<Name>>>

const initialRows = new Map<Table, object>()

/** A new row: what is given, and the initial values of the other columns. */
export function newRow<Name extends Table>(table: Name, given: NewRow<Name>): Tables[Name] {
  const initial = initialRows.get(table) ?? initialValues(tables[table])
  initialRows.set(table, initial)
  return { ...initial, ...given } as Tables[Name]
}

/** Inserts a row with all its columns. */
const insertRow = <Name extends Table>(table: Name): Statement<Tables[Name], unknown> =>
  statement<Tables[Name]>()((db, p) => insert(db, table, p))

/** Inserts a row; one with the same key stays as it is. */
export const insertOnce = <Name extends Table>(table: Name): Statement<Tables[Name], unknown> =>
  statement<Tables[Name]>()((db, p) =>
    insert(db, table, p).onConflict((conflict) => conflict.doNothing()),
  )

/** Inserts a row, or changes the one with the same key. */
const putRow = <Name extends Table>(table: Name): Statement<Tables[Name], unknown> =>
  statement<Tables[Name]>()((db, p) =>
    insert(db, table, p).onConflict((conflict) =>
      conflict.columns(names(table, 'key')).doUpdateSet(valuesOf(p, names(table, 'column'))),
    ),
  )

/** The values of all columns of a row to be inserted, each by its parameter. */
export const allColumns = <Name extends Table>(table: Name, p: Tables[Name]): Tables[Name] =>
  valuesOf(p, Object.keys(tables[table])) as Tables[Name]

const insert = <Name extends Table>(db: Kysely<Tables>, table: Name, p: Tables[Name]) =>
  untyped(db)
    .insertInto<string>(table)
    .values(allColumns(table, p) as Record<string, unknown>)

/** The names of all columns besides `except`. */
export const columnsBesides = <Name extends Table, Except extends Column<Name>>(
  table: Name,
  ...except: readonly Except[]
) =>
  Object.keys(tables[table]).filter((name) => !except.includes(name as Except)) as Exclude<
    Column<Name>,
    Except
  >[]

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
): Statement<Pick<Tables[Name], Key<Name> | Changed>, unknown> =>
  update(table, changed as readonly string[])

const update = (table: Table, changed: readonly string[]): Statement<object, unknown> =>
  statement<object>()((db, p) =>
    where(
      untyped(db).updateTable(table).set(valuesOf(p, changed)),
      valuesOf(p, names(table, 'key')),
    ),
  )

/** One column or several, or columns by the names of their parameters; there, anything but a name is what that column must have. */
type By<Name extends Table> =
  | Column<Name>
  | readonly Column<Name>[]
  | Readonly<Record<string, Column<Name> | Fixed>>
type Fixed = null | Expression<unknown> | Condition<unknown>
type ParamsOf<Name extends Table, Which> =
  Which extends Column<Name>
    ? Pick<Tables[Name], Which>
    : Which extends readonly Column<Name>[]
      ? Pick<Tables[Name], Which[number]>
      : {
          [Param in keyof Which as Which[Param] extends Fixed
            ? never
            : Param]: Tables[Name][Which[Param] & Column<Name>]
        }

function valuesBy(by: By<never>, params: unknown): Record<string, unknown> {
  const given = params as Record<string, unknown>
  if (typeof by === 'string') return { [by]: given[by] }
  if (Array.isArray(by)) return valuesOf(given, by)
  return Object.fromEntries(
    Object.entries(by).map(([name, value]) =>
      typeof value === 'string' ? [value, given[name]] : [name, value],
    ),
  )
}

type Select<Limit> = <Name extends Table, const Which extends By<Name>>(
  table: Name,
  by: Which,
  ...order: readonly Order<Name>[]
) => Statement<ParamsOf<Name, Which> & Limit, Tables[Name]>

const select = <Limit>(limit: (p: Limit) => number | undefined): Select<Limit> =>
  ((table: Table, by: By<never>, ...order: readonly never[]) =>
    statement<Limit>()((db, p) => {
      const rows = rowsOf(db, table, valuesBy(by, p), ...order)
      const most = limit(p)
      return most === undefined ? rows : rows.limit(most)
    })) as never

/** Selects the rows that have these values, in this order: all, the first, or the first `limit`. */
export const selectBy = select<unknown>(() => undefined)
export const selectFirst = select<unknown>(() => 1)
export const selectSome = select<{ readonly limit: number }>((p) => p.limit)

/** Selects some columns of the rows that have these values. */
export const selectColumns = <
  Name extends Table,
  const Which extends By<Name>,
  Selected extends Column<Name>,
>(
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
  statement<ParamsOf<Name, Which>>()((db, p) =>
    where(untyped(db).deleteFrom<string>(table), valuesBy(by, p)),
  )

type AnyStatement = Statement<object, unknown>

const known = new Map<string, AnyStatement>()
const foundByKey = new Map<Table, AnyStatement>()

/** A statement about rows of a table that is made once, so that it is compiled once. `names`: what it depends on besides. */
function once(
  kind: string,
  table: Table,
  names: readonly string[],
  make: () => Statement<never, unknown>,
): AnyStatement {
  const name = names.length === 0 ? kind + table : [kind, table, ...names].join(' ')
  const statement = known.get(name) ?? (make() as AnyStatement)
  known.set(name, statement)
  return statement
}

const keys = new Map<Table, readonly string[]>()
const none: readonly string[] = []

function keyNames(table: Table): readonly string[] {
  const known = keys.get(table)
  if (known) return known
  const key = names(table, 'key')
  keys.set(table, key)
  return key
}

const changing = new Map<Table, readonly string[]>()

function changingNames(table: Table): readonly string[] {
  const known = changing.get(table)
  if (known) return known
  const found = names(table, 'column')
  changing.set(table, found)
  return found
}

/** The names of the given columns; none where the whole key is among them, by which the row is found then. */
function namesIn(table: Table, values: object): readonly string[] {
  if (keyNames(table).every((name) => name in values)) return none
  const given = Object.keys(values)
  if (given.length === 0) throw new Error(`No column of ${table} is given`)
  return given
}
const orKey = (table: Table, given: readonly string[]) =>
  (given.length > 0 ? given : keyNames(table)) as never[]

/** What readers and transactions do with rows of any table. */
export const rowStatement = {
  insert: (table: Table) => once('insert', table, [], () => insertRow(table)),
  put: (table: Table) => once('put', table, [], () => putRow(table)),
  /** Sets the columns that are given and may change. */
  update(table: Table, given: object) {
    const changing = changingNames(table)
    // The usual update, of a whole row, without making a name for it.
    if (changing.every((name) => name in given))
      return once('update', table, none, () => update(table, changing))
    const changed = changing.filter((name) => name in given)
    if (changed.length === 0) throw new Error(`No column of ${table} is given`)
    return once('update', table, changed, () => update(table, changed))
  },
  find(table: Table, values: object, order: readonly string[] = []) {
    const by = namesIn(table, values)
    // The usual read, by the key alone, without making a name for it.
    const byKey = by.length === 0 && order.length === 0 ? foundByKey.get(table) : undefined
    if (byKey) return byKey
    const all = order.length === 0 ? by : [...by, 'in order', ...order]
    const statement = once('find', table, all, () =>
      selectBy(table, orKey(table, by), ...(order as never[])),
    )
    if (all.length === 0) foundByKey.set(table, statement)
    return statement
  },
  delete(table: Table, values: object) {
    const by = namesIn(table, values)
    return once('delete', table, by, () => deleteBy(table, orKey(table, by)))
  },
}

/** A condition other than equality. */
class Condition<Value> {
  readonly operator: '<>' | '<' | '<=' | '>' | '>=' | 'in' | 'is not'
  readonly value: Value | Expression<Value> | readonly (Value | Expression<Value>)[]

  constructor(operator: Condition<Value>['operator'], value: Condition<Value>['value']) {
    this.operator = operator
    this.value = value
  }
}

export const not = <Value>(value: Value | Expression<Value>) => new Condition<Value>('<>', value)
export const below = <Value>(value: Value | Expression<Value>) => new Condition<Value>('<', value)
export const atMost = <Value>(value: Value | Expression<Value>) => new Condition<Value>('<=', value)
export const above = <Value>(value: Value | Expression<Value>) => new Condition<Value>('>', value)
export const atLeast = <Value>(value: Value | Expression<Value>) =>
  new Condition<Value>('>=', value)
export const oneOf = <Value>(...values: readonly (Value | Expression<Value>)[]) =>
  new Condition<Value>('in', values)
export const present = new Condition<never>('is not', null as never)

type Wanted<Value> = Value | Expression<Value> | Condition<Value>
/** What columns must have; null: nothing; undefined: anything; a list: all of its conditions hold. */
type Values<Name extends Table> = {
  readonly [C in Column<Name>]?:
    | Wanted<Tables[Name][C]>
    | readonly Wanted<Tables[Name][C]>[]
    | undefined
}
export type Order<Name extends Table> = Column<Name> | `${Column<Name>} desc`

/** Begins a query about the rows that have these values, in this order. */
export const from = <Name extends Table>(
  db: Kysely<Tables>,
  table: Name,
  values: Values<Name>,
  ...order: readonly Order<Name>[]
): SelectQueryBuilder<Tables, Name, Record<never, never>> =>
  order.reduce(
    (query, by) =>
      query.orderBy(by.replace(' desc', ''), by.endsWith(' desc') ? 'desc' : undefined),
    where(untyped(db).selectFrom<string>(table), values),
  ) as never

/** Changes the rows that have these values. */
export const changeRows = <Name extends Table>(
  db: Kysely<Tables>,
  table: Name,
  change: { readonly [C in Changing<Name>]?: Tables[Name][C] | Expression<Tables[Name][C]> },
  values: Values<Name>,
): Compilable<unknown> => where(untyped(db).updateTable<string>(table).set(change), values)

/** The same with all columns. */
export const rowsOf = <Name extends Table>(
  db: Kysely<Tables>,
  table: Name,
  values: Values<Name>,
  ...order: readonly Order<Name>[]
): SelectQueryBuilder<Tables, Name, Tables[Name]> =>
  from(db, table, values, ...order).selectAll() as never

/** The next page of a list by time: what is older than the last item seen, newest first. */
export const pageOf = <Db, From extends keyof Db, Row>(
  query: SelectQueryBuilder<Db, From, Row>,
  { createdAt, id, limit }: PageParams,
  timeColumn: StringReference<Db, From>,
  idColumn: StringReference<Db, From>,
): SelectQueryBuilder<Db, From, Row> =>
  query
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple(timeColumn, idColumn), '<', tuple(createdAt, id) as never),
    )
    .orderBy(timeColumn, 'desc')
    .orderBy(idColumn, 'desc')
    .limit(limit)

interface Filtered<Query> {
  where(
    column: string,
    operator: '=' | 'is' | Condition<unknown>['operator'],
    value: unknown,
  ): Query
}

const where = <Query extends Filtered<Query>>(query: Query, values: object): Query =>
  Object.entries(values)
    .flatMap(([column, wanted]) => [wanted].flat().map((value) => ({ column, value })))
    .filter(({ value }) => value !== undefined)
    .reduce((found, { column, value }) => {
      if (value instanceof Condition) return found.where(column, value.operator, value.value)
      return found.where(column, value === null ? 'is' : '=', value)
    }, query)
