/**
 * Replaces the database of a data folder by a backup. The folder is locked meanwhile, so a running server is never affected. The
 * existing database is moved aside. The restored store has a new incarnation: clients with an old cursor get a snapshot.
 */
import { existsSync } from 'node:fs'
import { copyFile, link, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { instant } from '../../domain/instant.ts'
import { syncFolder } from '../../platform/files/atomic-file.ts'
import { databaseFile, prepareDataFolder } from '../../platform/files/data-folder.ts'
import { lockDataFolder } from '../../platform/files/data-lock.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { beside, removeDatabase, takeBackup } from './backup-file.ts'
import { SqliteConnection } from './connection.ts'

export interface Restored {
  /** The new path of the database that was there; null when there was none. */
  readonly movedAside: string | null
}

export async function restoreSqlite(fromFile: string, data: string, warn: (message: string) => void): Promise<Restored> {
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

/** Keeps the old database under another name. A database is always in place, so a start in between creates no new store. */
async function moveAside(file: string): Promise<string | null> {
  if (!existsSync(file)) return null
  const aside = `${file}.before-restore-${instant(Date.now()).replaceAll(/\D/g, '')}`
  foldLog(file)
  // Remain only when the old database cannot be opened. SQLite would take them for the log of the new one.
  for (const end of ['-wal', '-shm']) if (existsSync(`${file}${end}`)) await rename(`${file}${end}`, `${aside}${end}`)
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
