/**
 * Two checks around every use case, in the tests' writer thread of SQLite. Nothing runs there
 * beside it, so that neither a lock that was forgotten nor a run that leaves something behind would
 * show.
 *
 * - Each runs twice: once abandoned, as on PostgreSQL, and then for real.
 * - Rows that the second run reads or writes without the lock of a stream that owns them
 * (row-owners.ts) are reported, as the
 *   use case and the table, unless they are in unlocked-rows.json.
 */
import type { Compilable } from 'kysely'
import type { StreamName } from '../../src/domain/stream-name.ts'
import { isSelect, type WritingEngine } from '../../src/store/engine.ts'
import { ReplayedRandomness } from '../../src/store/log/replayed-randomness.ts'
import { runUseCase } from '../../src/store/log/run-use-case.ts'
import type { Table } from '../../src/store/rows.ts'
import { tables } from '../../src/store/schema/tables.ts'
import { sqliteDialect } from '../../src/store/sqlite/connection.ts'
import { bind, type RunnableQuery, type Statement } from '../../src/store/statement.ts'
import type { Context, Reader, Tx, UseCase, UseCases } from '../../src/store/store.ts'
import { ownedTables, ownersOf, type PartialRow } from './row-owners.ts'
import known from './unlocked-rows.json' with { type: 'json' }

export type Use = 'reads' | 'writes'
type AnyUseCase = UseCase<unknown, unknown>
export type Report = (unlocked: string) => void

const isKnown = (name: string, use: Use, table: string): boolean =>
  (known[use] as Readonly<Record<string, readonly string[]>>)[name]?.includes(table) ?? false

/** `report` gets `store-facts writes contexts`, once for each store. */
export function watchedUseCases(useCases: UseCases, report: Report): UseCases {
  const reported = new Set<string>()
  const reportOnce: Report = (unlocked) => {
    if (reported.has(unlocked)) return
    reported.add(unlocked)
    report(unlocked)
  }
  const each = Object.values(useCases).map((useCase) => watched(useCase, reportOnce))
  return Object.fromEntries(each.map((useCase) => [useCase.name, useCase]))
}

function watched(useCase: AnyUseCase, report: Report): AnyUseCase {
  const run = async (tx: Tx, input: unknown, context: Context): Promise<unknown> => {
    const drawn = new ReplayedRandomness()
    await runAbandoned(useCase, tx, input, { ...context, random: drawn.replay() })
    const watch = new Watch(tx, useCase.streams?.(input) ?? [])
    await createTriggers(tx)
    const answer = await useCase.run(watch.tx, input, { ...context, random: drawn.replay() })
    for (const { use, table, row } of await watch.used()) {
      const owners = ownersOf(table, row)
      if (owners.length === 0 || owners.some((owner) => watch.held.has(owner))) continue
      if (!isKnown(useCase.name, use, table)) report(`${useCase.name} ${use} ${table}`)
    }
    return answer
  }
  return { ...useCase, run }
}

/** A use case without streams is not abandoned; its run ends here at the latest. */
const maxReads = 1000

async function runAbandoned(
  useCase: AnyUseCase,
  tx: Tx,
  input: unknown,
  { now, random }: Context,
): Promise<void> {
  let reads = 0
  const engine: WritingEngine = {
    dialect: sqliteDialect,
    execute: (query) => {
      if (!isSelect(query.sql) || ++reads > maxReads) throw new Error('the run ends here')
      return execute(tx, query)
    },
    lockStreams: () => ({ heads: new Map() }),
    lockAnother: () => undefined,
    write: () => {},
    append: () => {},
  }
  const { name, scope, on, run } = useCase
  const running = runUseCase(
    engine,
    { name, scope, on, run },
    { input, now },
    { streams: [], random },
  )
  // What an abandoned run throws is ignored.
  await running.catch(() => {})
}

const execute = (reader: Reader, { sql, values }: RunnableQuery): Promise<PartialRow[]> =>
  reader.query(() => ({ compile: () => ({ sql, parameters: values }) }) as Compilable<PartialRow>)

interface Used {
  readonly use: Use
  readonly table: string
  readonly row: PartialRow
}

/** A transaction that notes what is locked and read through it. Triggers note what is written. */
class Watch {
  readonly held: Set<StreamName>
  readonly tx: Tx
  readonly #inner: Tx
  readonly #read: Used[] = []

  constructor(inner: Tx, hint: readonly StreamName[]) {
    this.#inner = inner
    this.held = new Set(hint)
    const own: Partial<Tx> = {
      lock: (...streams) => {
        this.#hold(...streams)
        inner.lock(...streams)
      },
      append: (stream, event, also = []) => {
        this.#hold(stream, ...also)
        return inner.append(stream, event, also)
      },
      begin: (stream) => {
        this.#hold(stream)
        inner.begin(stream)
      },
      all: async (statement, params) =>
        this.#noteResult(statement, params, await inner.all(statement, params)),
      first: async (statement, params) => {
        const row = await inner.first(statement, params)
        this.#noteResult(statement, params, row === undefined ? [] : [row])
        return row
      },
      row: async (table, values) => {
        const row = await inner.row(table, values)
        if (row) this.#note(table, [row])
        return row
      },
      rows: async (table, values, ...order) =>
        this.#note(table, await inner.rows(table, values, ...order)),
    }
    this.tx = new Proxy(inner, {
      get: (_, name) => {
        const value = own[name as keyof Tx] ?? Reflect.get(inner, name)
        return typeof value === 'function' ? value.bind(inner) : value
      },
    })
  }

  async used(): Promise<Used[]> {
    const written = await execute(this.#inner, { sql: 'select * from touched', values: [] })
    if (written.length > 0) await execute(this.#inner, { sql: 'delete from touched', values: [] })
    const writes = written.map(
      ({ name, row }): Used => ({
        use: 'writes',
        table: String(name),
        row: JSON.parse(String(row)),
      }),
    )
    return [...this.#read, ...writes]
  }

  #hold(...streams: readonly StreamName[]): void {
    for (const stream of streams) this.held.add(stream)
  }

  #note<Row>(table: string, rows: Row[]): Row[] {
    for (const row of rows) this.#read.push({ use: 'reads', table, row: row as PartialRow })
    return rows
  }

  /** The columns of a join may be those of any of its tables. */
  #noteResult<Params, Row>(statement: Statement<Params, Row>, params: Params, rows: Row[]): Row[] {
    const { sql } = bind(sqliteDialect, statement, params)
    const [, table] = /^select .*? from "(\w+)"/.exec(sql) ?? []
    return table && !sql.includes(' join ') ? this.#note(table, rows) : rows
  }
}

/** They are gone with a rollback of the transaction that made them. */
async function createTriggers(tx: Tx): Promise<void> {
  const sql = "select 1 as found from sqlite_temp_schema where name = 'touched'"
  if ((await execute(tx, { sql, values: [] })).length > 0) return
  await execute(tx, { sql: 'create temp table touched (name text, row text)', values: [] })
  for (const table of ownedTables)
    for (const event of ['insert', 'update', 'delete'])
      await execute(tx, { sql: triggerOf(table, event), values: [] })
}

function triggerOf(table: Table, event: string): string {
  const row = event === 'delete' ? 'old' : 'new'
  const columns = Object.keys(tables[table]).map((name) => `'${name}', ${row}."${name}"`)
  return `create temp trigger touched_${table}_${event} after ${event} on main."${table}"
    begin insert into touched values ('${table}', json_object(${columns.join(', ')})); end`
}
