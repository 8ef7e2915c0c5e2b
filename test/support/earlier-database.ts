/**
 * A database of either engine in the form that an earlier build left, with rows such as it wrote,
 * to be brought up to today's (RE10).
 */
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { Dialect } from '../../src/store/dialect.ts'
import { createMeta } from '../../src/store/meta.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { connectionOptions } from '../../src/store/postgres/connection-options.ts'
import { MigratingConnection } from '../../src/store/postgres/migrating-connection.ts'
import { sqliteDialect } from '../../src/store/sqlite/connection.ts'
import type { EngineName } from './either-store.ts'
import { newPostgresUrl } from './postgres.ts'

export interface Database {
  readonly dialect: Dialect
  readonly run: (sql: string) => Promise<Record<string, unknown>[]>
}

async function emptyDatabase(engine: EngineName): Promise<Database> {
  if (engine === 'SQLite') {
    const db = new DatabaseSync(':memory:')
    onTestFinished(() => db.close())
    return { dialect: sqliteDialect, run: async (sql) => db.prepare(sql).all() }
  }
  const connection = await MigratingConnection.open(connectionOptions(await newPostgresUrl()))
  onTestFinished(() => connection.end())
  return { dialect: connection.dialect, run: (sql) => connection.execute({ sql, values: [] }) }
}

/** A row of any table of an earlier build: what is not given is empty. */
export async function insert(
  { dialect, run }: Database,
  table: string,
  given: Record<string, unknown>,
): Promise<void> {
  const columns =
    dialect.name === 'sqlite'
      ? await run(`select name, type, "notnull" as needed from pragma_table_info('${table}')`)
      : await run(
          `select column_name as name, data_type as type, case is_nullable when 'NO' then 1 else 0 end as needed
           from information_schema.columns where table_name = '${table}' and table_schema = current_schema()`,
        )
  const row: Record<string, unknown> = {}
  for (const { name, type, needed } of columns)
    if (Number(needed)) row[String(name)] = /int/i.test(String(type)) ? 0 : ''
  const all = Object.entries({ ...row, ...given })
  const values = all.map(([, value]) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
  )
  await run(
    `insert into ${table} (${all.map(([name]) => name).join(', ')}) values (${values.join(', ')})`,
  )
}

/** In the form of that version; `migrate` brings it up to today's. */
export async function databaseOf(
  engine: EngineName,
  version: number,
): Promise<Database & { migrate: () => Promise<void> }> {
  const database = await emptyDatabase(engine)
  const run = async (some: typeof migrations): Promise<void> => {
    for (const { statements } of some)
      for (const sql of statements(database.dialect)) await database.run(sql)
  }
  await database.run(createMeta(database.dialect))
  await run(migrations.slice(0, version))
  return { ...database, migrate: () => run(migrations.slice(version)) }
}
