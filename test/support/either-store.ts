/**
 * The product's store on either engine, with the ways in that only an operator has: raw SQL,
 * backup, restore.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pagesOf, tableNames } from '../../src/store/copy-tables.ts'
import { deepCheck, type Finding } from '../../src/store/deep-check/deep-check.ts'
import { EngineReader } from '../../src/store/log/reader.ts'
import { backupPostgres, readPostgres, restorePostgres } from '../../src/store/postgres/backup.ts'
import { connectionOptions } from '../../src/store/postgres/connection-options.ts'
import { MigratingConnection } from '../../src/store/postgres/migrating-connection.ts'
import { backupSqlite, readSqlite, restoreSqlite } from '../../src/store/sqlite/backup.ts'
import { sqliteIntegrity } from '../../src/store/sqlite/backup-file.ts'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { newPostgresStoreUrl, newPostgresUrl } from './postgres.ts'
import { openPostgres } from './postgres-store.ts'
import { openTestStore, temporaryFolder } from './store.ts'

export type EngineName = 'SQLite' | 'PostgreSQL'
export const engines: readonly EngineName[] = ['SQLite', 'PostgreSQL']

/** A place for a store: empty until it is opened or restored into. */
export interface Place {
  open(clock?: ManualClock): Promise<Store>
  /** Straight into the tables, as no part of the product would. */
  damage(sql: string): Promise<void>
  backup(toFile: string): Promise<void>
  restore(fromFile: string): Promise<void>
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  check(): Promise<Finding[]>
  /** What it would find after this damage; then all is as before. */
  checkAfter(...statements: string[]): Promise<Finding[]>
}

export const newPlace = (engine: EngineName): Promise<Place> =>
  engine === 'SQLite' ? sqlitePlace() : Promise.resolve(postgresPlace())

/** With this database in it, or none. */
export async function sqlitePlace(database?: Buffer): Promise<Place> {
  const folder = await temporaryFolder()
  const file = join(folder, 'holdfast.db')
  if (database) await writeFile(file, database)
  return {
    open: async (clock = manualClock()) => (await openTestStore({ folder, clock })).store,
    damage: async (sql) => {
      const connection = SqliteConnection.openWriter(file)
      connection.command(sql)
      connection.close()
    },
    backup: (toFile) => backupSqlite(file, toFile),
    restore: async (fromFile) => void (await restoreSqlite(fromFile, folder, () => {})),
    read: (work) => readSqlite(file, work),
    check: () => readSqlite(file, (reader) => listed(deepCheck(reader, sqliteIntegrity))),
    checkAfter: async (...statements) => {
      const connection = SqliteConnection.openWriter(file)
      try {
        for (const statement of ['begin', ...statements]) connection.command(statement)
        return await listed(deepCheck(new EngineReader(connection), sqliteIntegrity))
      } finally {
        connection.close()
      }
    },
  }
}

function postgresPlace(): Place {
  let url = ''
  return {
    open: async (clock = manualClock()) => {
      url ||= await newPostgresStoreUrl()
      return openPostgres({ url, clock })
    },
    damage: async (sql) => {
      const connection = await MigratingConnection.open(connectionOptions(url))
      await connection.execute({ sql, values: [] })
      await connection.end()
    },
    backup: (toFile) => backupPostgres(url, toFile),
    restore: async (fromFile) => {
      url ||= await newPostgresUrl()
      return restorePostgres(fromFile, url)
    },
    read: (work) => readPostgres(url, work),
    check: () => readPostgres(url, (reader) => listed(deepCheck(reader))),
    checkAfter: async (...statements) => {
      const connection = await MigratingConnection.open(connectionOptions(url))
      try {
        for (const sql of ['begin', ...statements]) await connection.execute({ sql, values: [] })
        return await listed(deepCheck(new EngineReader(connection)))
      } finally {
        await connection.end()
      }
    },
  }
}

/**
 * Every row of every table, in order: two stores that hold the same give the same. What says who a
 * store is is left out.
 */
export async function everything(reader: Reader): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  for (const table of tableNames) {
    const rows: unknown[] = (await listed<unknown[]>(pagesOf(reader, table))).flat()
    all[table] =
      table === 'meta'
        ? rows.filter(
            (row) => !['incarnation', 'backed_up_at'].includes((row as { key: string }).key),
          )
        : rows
  }
  return all
}

async function listed<T>(each: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of each) all.push(one)
  return all
}

export async function temporaryFile(name: string): Promise<string> {
  return join(await temporaryFolder(), name)
}
