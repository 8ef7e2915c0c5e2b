/**
 * Backs up a store on SQLite while it is in use, with one SQL statement, so that the snapshot is held briefly: the write-ahead log
 * grows meanwhile. Blocks the thread, so it must not run on one that serves requests.
 */
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { EngineReader } from '../log/reader.ts'
import { selectMeta } from '../meta.ts'
import { newestVersion } from '../migrations/migrations.ts'
import { bind } from '../statement.ts'
import type { Reader } from '../store.ts'
import { makeBackup } from './backup-file.ts'
import { SqliteConnection } from './connection.ts'

export async function backupSqlite(databaseFile: string, toFile: string): Promise<void> {
  await makeBackup(toFile, async (temporary) => {
    const connection = SqliteConnection.openReader(databaseFile)
    try {
      const [row] = connection.execute(bind(connection.dialect, selectMeta, { key: 'schema_version' }))
      requireThisVersion(Number(row?.['value']))
      connection.execute({ sql: 'vacuum into ?', values: [temporary] })
    } finally {
      connection.close()
    }
  })
}

/** Runs `work` on one snapshot, also of a database that a server is using. */
export async function readSqlite<T>(databaseFile: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const connection = SqliteConnection.openReader(databaseFile)
  try {
    connection.command('begin')
    return await work(new EngineReader(connection))
  } finally {
    connection.close()
  }
}

export function requireThisVersion(found: number): void {
  if (found === newestVersion) return
  throw new StartFailure(
    `The database has schema version ${found}; this Holdfast makes backups of version ${newestVersion}.`,
    found < newestVersion ? 'Start this version once, then try again.' : 'Use the newer Holdfast that wrote it.',
  )
}
