/**
 * The statements behind `tx.row`, `tx.insert`, `tx.update` and the like, made from the columns that
 * src/store/schema declares. Everything else is written with kysely where it is used.
 */
import type { Kysely, SelectQueryBuilder, StringReference } from 'kysely'
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

/** The values of all columns of a row to be inserted, each by its parameter. */
export const allColumns = <Name extends Table>(table: Name, p: Tables[Name]): Tables[Name] =>
  valuesOf(p, Object.keys(tables[table])) as Tables[Name]

/** The names of all columns besides `except`. */
export const columnsBesides = <Name extends Table, Except extends Column<Name>>(
  table: Name,
  ...except: readonly Except[]
) =>
  Object.keys(tables[table]).filter((name) => !except.includes(name as Except)) as Exclude<
    Column<Name>,
    Except
  >[]

type AnyRow = Readonly<Record<string, unknown>>
type RowStatement = Statement<AnyRow, unknown>

/**
 * The builder without the types of its tables; those who call `tx.insert` and the like have them.
 */
const untyped = (db: Kysely<Tables>) =>
  db as unknown as Kysely<Record<string, Record<string, unknown>>>

const insertRow = (table: Table): RowStatement =>
  statement<AnyRow>()((db, p) =>
    untyped(db)
      .insertInto(table)
      .values(allColumns(table, p as never)),
  )

/** One with the same key is changed. */
const putRow = (table: Table): RowStatement =>
  statement<AnyRow>()((db, p) =>
    untyped(db)
      .insertInto(table)
      .values(allColumns(table, p as never))
      .onConflict((conflict) =>
        conflict.columns(names(table, 'key')).doUpdateSet(valuesOf(p, names(table, 'column'))),
      ),
  )

const updateRow = (table: Table, changed: readonly string[]): RowStatement =>
  statement<AnyRow>()((db, p) => {
    const query = untyped(db).updateTable(table).set(valuesOf(p, changed))
    return names(table, 'key').reduce((found, name) => found.where(name, '=', p[name]), query)
  })

const selectRows = (table: Table, by: readonly string[], order: readonly string[]): RowStatement =>
  statement<AnyRow>()((db, p) => {
    const query = untyped(db).selectFrom(table).selectAll()
    const found = by.reduce((rows, name) => rows.where(name, '=', p[name]), query)
    return order.reduce((rows, each) => {
      const [name = each, direction] = each.split(' ')
      return rows.orderBy(name, direction === 'desc' ? 'desc' : undefined)
    }, found)
  })

const deleteRows = (table: Table, by: readonly string[]): RowStatement =>
  statement<AnyRow>()((db, p) =>
    by.reduce((rows, name) => rows.where(name, '=', p[name]), untyped(db).deleteFrom(table)),
  )

const statements = new Map<string, RowStatement>()
const foundByKey = new Map<Table, RowStatement>()

/**
 * A statement about rows of a table that is made once, so that it is compiled once. `names`: what
 * it depends on besides.
 */
function once(
  kind: string,
  table: Table,
  names: readonly string[],
  make: () => RowStatement,
): RowStatement {
  const name = names.length === 0 ? kind + table : [kind, table, ...names].join(' ')
  const statement = statements.get(name) ?? make()
  statements.set(name, statement)
  return statement
}

const keys = new Map<Table, readonly string[]>()
const none: readonly string[] = []

function keyNames(table: Table): readonly string[] {
  const statement = keys.get(table)
  if (statement) return statement
  const key = names(table, 'key')
  keys.set(table, key)
  return key
}

const changing = new Map<Table, readonly string[]>()

function changingNames(table: Table): readonly string[] {
  const statement = changing.get(table)
  if (statement) return statement
  const found = names(table, 'column')
  changing.set(table, found)
  return found
}

/**
 * The names of the given columns; none where the whole key is among them, by which the row is found
 * then.
 */
function namesIn(table: Table, values: object): readonly string[] {
  if (keyNames(table).every((name) => name in values)) return none
  const given = Object.keys(values)
  if (given.length === 0) throw new Error(`No column of ${table} is given`)
  return given
}
const orKey = (table: Table, given: readonly string[]): readonly string[] =>
  given.length > 0 ? given : keyNames(table)

/** What readers and transactions do with rows of any table. */
export const rowStatement = {
  insert: (table: Table) => once('insert', table, [], () => insertRow(table)),
  put: (table: Table) => once('put', table, [], () => putRow(table)),
  /** Sets the columns that are given and may change. */
  update(table: Table, given: object) {
    const changing = changingNames(table)
    // The usual update, of a whole row, without making a name for it.
    if (changing.every((name) => name in given))
      return once('update', table, none, () => updateRow(table, changing))
    const changed = changing.filter((name) => name in given)
    if (changed.length === 0) throw new Error(`No column of ${table} is given`)
    return once('update', table, changed, () => updateRow(table, changed))
  },
  find(table: Table, values: object, order: readonly string[] = []) {
    const by = namesIn(table, values)
    // The usual read, by the key alone, without making a name for it.
    const byKey = by.length === 0 && order.length === 0 ? foundByKey.get(table) : undefined
    if (byKey) return byKey
    const all = order.length === 0 ? by : [...by, 'in order', ...order]
    const statement = once('find', table, all, () => selectRows(table, orKey(table, by), order))
    if (all.length === 0) foundByKey.set(table, statement)
    return statement
  },
  delete(table: Table, values: object) {
    const by = namesIn(table, values)
    return once('delete', table, by, () => deleteRows(table, orKey(table, by)))
  },
}

export type Order<Name extends Table> = Column<Name> | `${Column<Name>} desc`

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
