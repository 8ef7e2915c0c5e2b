/** Stores on PostgreSQL for tests; closed when the test ends. */
import { onTestFinished } from 'vitest'
import {
  openPostgresStore,
  type PostgresOptions,
} from '../../src/store/postgres/open-postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { newPostgresStoreUrl } from './postgres.ts'

export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const store = await openPostgresStore(options)
  onTestFinished(() => store.close())
  return store
}

/** Two nodes on one database of their own. */
export async function openNodes(): Promise<[Store, Store]> {
  const url = await newPostgresStoreUrl()
  return [await openPostgres({ url }), await openPostgres({ url })]
}
