/**
 * Empty databases for migrations to be killed in, and what must be so of them afterwards, on either
 * engine.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { productFolder, useCasesOf } from './build.ts'
import { checkImage, withStore } from './examine.ts'
import { Ledger } from './ledger.ts'
import { type Findings, judge } from './oracle.ts'
import { databaseIn, type Place } from './place.ts'
import { readStored } from './stored.ts'

export interface MigratedDatabase {
  readonly place: Place
  /** Starts it, asks the oracle, writes something. */
  check(): Promise<Findings>
  /** Everything that migrations make, in words that are the same for every database. */
  schema(): Promise<string>
}

export type NewDatabase = (name: string) => Promise<MigratedDatabase>

export const inFolder =
  (parent: string): NewDatabase =>
  async (name) => {
    const folder = join(parent, name)
    await mkdir(folder)
    return {
      place: { folder },
      check: () => checkImage(folder, new Ledger()),
      schema: async () => schemaOfFile(folder),
    }
  }

function schemaOfFile(folder: string): string {
  const db = new DatabaseSync(databaseIn(folder), { readOnly: true })
  try {
    const tables = db
      .prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name')
      .all()
    return JSON.stringify([tables, db.prepare(metaKeys).all()])
  } finally {
    db.close()
  }
}

const metaKeys =
  "select key, case key when 'schema_version' then value end as value from meta order by key"

export const onPostgres =
  (newUrl: () => Promise<string>): NewDatabase =>
  async () => {
    const place = { url: await newUrl() }
    return { place, check: () => checkPostgres(place), schema: () => schemaOfPostgres(place.url) }
  }

const checkPostgres = (place: Place): Promise<Findings> =>
  withStore(place, async (store) => {
    const createProject = (await useCasesOf(productFolder))['create-project']
    if (createProject) await store.run(createProject, { name: 'afterwards', by: 'owner' })
    return judge(await store.read(readStored), new Ledger())
  })

async function schemaOfPostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const columns = await client.query(
      `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
       where table_schema = current_schema() order by 1, 2`,
    )
    const indexes = await client.query(
      `select tablename, indexname, replace(indexdef, current_schema() || '.', '') as definition from pg_indexes
       where schemaname = current_schema() order by 1, 2`,
    )
    return JSON.stringify([columns.rows, indexes.rows, (await client.query(metaKeys)).rows])
  } finally {
    await client.end()
  }
}
