/** Opens the configured store, and explains why when it cannot be opened. */
import '../platform/time/temporal.ts'
import { databaseFile } from '../platform/files/data-folder.ts'
import { requireNotMoved } from '../platform/files/moved-mark.ts'
import type { Logger } from '../platform/log/logger.ts'
import { systemClock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { explainSqlite } from '../store/sqlite/explain-sqlite.ts'
import type { Store } from '../store/store.ts'

type StoreLocation = Pick<ConfigValues, 'data' | 'database_url'>

/** Loads only the engine that is used. */
export async function openStore(
  { data, database_url: url }: StoreLocation,
  logger: Pick<Logger, 'info'>,
  signal?: AbortSignal,
): Promise<Store> {
  if (!url) return openSqlite(data)
  const { openPostgresStore } = await import('../store/postgres/open-postgres-store.ts')
  return openPostgresStore({ url, onWaiting: (message) => logger.info(message), signal })
}

async function openSqlite(data: string): Promise<Store> {
  await requireNotMoved(data)
  const { openSqliteStore } = await import('../store/sqlite/open-sqlite-store.ts')
  const file = databaseFile(data)
  try {
    return await openSqliteStore({
      file,
      clock: systemClock,
      writerUrl: new URL('./writer.ts', import.meta.url),
    })
  } catch (error) {
    throw explainSqlite(file, error as Error & { errcode?: number | null })
  }
}
