/** Opens and migrates a database with a build that ends the process at its n-th statement (controls.ts, `diesAtStatement`). */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { databaseIn, openStoreOf, type Place } from '../build.ts'
import { perform } from './task.ts'

export interface MigrateTask {
  readonly build: string
  readonly place: Place
}

await perform(async ({ build, place }: MigrateTask) => {
  if ('url' in place) {
    const store = await openStoreOf(build, place)
    return store.close()
  }
  // Without the writer's thread: a process that only migrates starts in half the time.
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(build, 'src', path)).href)
  const { SqliteConnection } = (await load(
    'store/sqlite/connection.ts',
  )) as typeof import('../../../src/store/sqlite/connection.ts')
  const { migrate } = (await load('store/migrate.ts')) as typeof import('../../../src/store/migrate.ts')
  const connection = SqliteConnection.openWriter(databaseIn(place.folder))
  await migrate(connection, '2026-01-01T00:00:00.000Z', () => crypto.randomUUID())
  connection.close()
})
