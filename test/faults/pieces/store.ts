/**
 * The store of a build. In front of a process's bundle it stands alone: what one engine needs is
 * not loaded for the other.
 */
import { mkdir } from 'node:fs/promises'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { databaseIn, type Place } from '../place.ts'

/** `writerUrl`: processes/writer.ts of the same build. */
export async function openStore(place: Place, writerUrl: URL): Promise<Store> {
  if ('url' in place) {
    const { openPostgresStore } = await import('../../../src/store/postgres/open-postgres-store.ts')
    return openPostgresStore({ url: place.url })
  }
  await mkdir(place.folder, { recursive: true })
  return openSqliteStore({ file: databaseIn(place.folder), clock: systemClock, writerUrl })
}
