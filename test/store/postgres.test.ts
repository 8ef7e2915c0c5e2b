/** The store's contract on PostgreSQL. */
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { manualClock } from '../support/manual-clock.ts'
import { newPostgresStoreUrl, usePostgres } from '../support/postgres.ts'
import { lockContract } from './lock-contract.ts'
import { type OpenedStore, storeContract } from './store-contract.ts'

usePostgres()

const openNew = async (): Promise<OpenedStore> => {
  const url = await newPostgresStoreUrl()
  const clock = manualClock()
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore({ url, clock })
    onTestFinished(() => store.close())
    return store
  }
  const store = await open()
  return {
    store,
    clock,
    reopen: async () => {
      await store.close()
      return open()
    },
    bytes: () => everyRow(url),
  }
}

storeContract('PostgreSQL', openNew)
lockContract('PostgreSQL', openNew)

/** What the tables hold stands for the bytes: the files are shared by all tests. */
async function everyRow(url: string): Promise<Buffer> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema()',
    )
    const dumps: string[] = []
    for (const { name } of tables.rows) {
      dumps.push(
        JSON.stringify((await client.query(`select * from ${client.escapeIdentifier(name)}`)).rows),
      )
    }
    return Buffer.from(dumps.join('\n'))
  } finally {
    await client.end()
  }
}
