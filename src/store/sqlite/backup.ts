/**
 * Backs up a store on SQLite while it is in use, with one SQL statement, so that the snapshot is
 * held briefly: the write-ahead log grows meanwhile. Blocks the thread, so it must not run on one
 * that serves requests.
 */

import { existsSync } from 'node:fs'
import { copyFile, link, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { instant } from '../../domain/instant.ts'
import { syncFolder } from '../../platform/files/atomic-file.ts'
import { databaseFile, prepareDataFolder } from '../../platform/files/data-folder.ts'
import { lockDataFolder } from '../../platform/files/data-lock.ts'
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { EngineReader } from '../log/reader.ts'
import { selectMeta } from '../meta.ts'
import { newestVersion } from '../migrations/migrations.ts'
import { bind } from '../statement.ts'
import type { Reader } from '../store.ts'
import { beside, makeBackup, removeDatabase, takeBackup } from './backup-file.ts'
import { SqliteConnection } from './connection.ts'

export async function backupSqlite(databaseFile: string, toFile: string): Promise<void> {
  await makeBackup(toFile, async (temporary) => {
    const connection = SqliteConnection.openReader(databaseFile)
    try {
      const [row] = connection.execute(
        bind(connection.dialect, selectMeta, { key: 'schema_version' }),
      )
      requireThisVersion(Number(row?.['value']))
      connection.execute({ sql: 'vacuum into ?', values: [temporary] })
    } finally {
      connection.close()
    }
  })
}

/** Runs `work` on one snapshot, also of a database that a server is using. */
export async function readSqlite<T>(
  databaseFile: string,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
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
    found < newestVersion
      ? 'Start this version once, then try again.'
      : 'Use the newer Holdfast that wrote it.',
  )
}

// Replaces the database of a data folder by a backup. The folder is locked meanwhile, so a running
// server is never affected. The existing database is moved aside. The restored store has a new
// incarnation: clients with an old cursor get a snapshot.

export interface Restored {
  /** The new path of the database that was there; null when there was none. */
  readonly movedAside: string | null
}

export async function restoreSqlite(
  fromFile: string,
  data: string,
  warn: (message: string) => void,
): Promise<Restored> {
  await prepareDataFolder(data, warn)
  const lock = lockDataFolder(data)
  const file = databaseFile(data)
  const temporary = beside(file)
  try {
    await takeBackup(fromFile, temporary, randomness.uuid)
    const movedAside = await moveAside(file)
    await rename(temporary, file)
    await syncFolder(dirname(file))
    return { movedAside }
  } finally {
    await removeDatabase(temporary)
    lock.release()
  }
}

/**
 * Keeps the old database under another name. A database is always in place, so a start in between
 * creates no new store.
 */
async function moveAside(file: string): Promise<string | null> {
  if (!existsSync(file)) return null
  const aside = `${file}.before-restore-${instant(Date.now()).replaceAll(/\D/g, '')}`
  foldLog(file)
  // Remain only when the old database cannot be opened. SQLite would take them for the log of the
  // new one.
  for (const end of ['-wal', '-shm'])
    if (existsSync(`${file}${end}`)) await rename(`${file}${end}`, `${aside}${end}`)
  await link(file, aside).catch(() => copyFile(file, aside))
  await syncFolder(dirname(file))
  return aside
}

function foldLog(file: string): void {
  try {
    SqliteConnection.openWriter(file).close()
  } catch {
    // Damaged or not a Holdfast database: it is kept as it is.
  }
}
