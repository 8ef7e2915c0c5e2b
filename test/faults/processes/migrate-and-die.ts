/**
 * Opens and migrates a database with a build that ends the process at its n-th statement
 * (controls.ts, `diesAtStatement`).
 */
import { migrate } from '../../../src/store/migrate.ts'
import { SqliteConnection } from '../../../src/store/sqlite/connection.ts'
import { databaseIn, type Place } from '../place.ts'
import { perform } from './task.ts'

export interface MigrateTask {
  readonly place: Place
}

await perform(async ({ place }: MigrateTask) => {
  if ('url' in place) {
    const { openPostgresStore } = await import('../../../src/store/postgres/open-postgres-store.ts')
    const store = await openPostgresStore({ url: place.url })
    return store.close()
  }
  // Without the writer's thread: a process that only migrates starts in half the time.
  const connection = SqliteConnection.openWriter(databaseIn(place.folder))
  await migrate(connection, '2026-01-01T00:00:00.000Z', () => crypto.randomUUID())
  connection.close()
})
