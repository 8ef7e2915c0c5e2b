/**
 * Puts a backup in the place of a data folder's database. The folder is locked meanwhile, so a running server is never
 * written under; a database that is there is moved aside, never removed. The restored one has a new incarnation: whoever
 * holds a cursor from before gets a snapshot.
 */
import { existsSync } from 'node:fs'
import { copyFile, link, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { instant } from '../../domain/instant.ts'
import { syncFolder } from '../../platform/atomic-file.ts'
import { databaseFile, prepareDataFolder } from '../../platform/data-folder.ts'
import { lockDataFolder } from '../../platform/data-lock.ts'
import { randomness } from '../../platform/randomness.ts'
import { beside, removeDatabase, takeBackup } from './backup-file.ts'
import { SqliteConnection } from './connection.ts'

export interface Restored {
  /** Where the database that was there is now; null when there was none. */
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

/** Keeps the old one under another name. Its place is never empty: a start in between finds the old one, not a new store. */
async function moveAside(file: string): Promise<string | null> {
  if (!existsSync(file)) return null
  const aside = `${file}.before-restore-${instant(Date.now()).replaceAll(/\D/g, '')}`
  foldLog(file)
  // Left only when the old one cannot be opened. Beside another database it would be taken for that one's.
  for (const end of ['-wal', '-shm']) if (existsSync(`${file}${end}`)) await rename(`${file}${end}`, `${aside}${end}`)
  await link(file, aside).catch(() => copyFile(file, aside))
  await syncFolder(dirname(file))
  return aside
}

function foldLog(file: string): void {
  try {
    SqliteConnection.openWriter(file).close()
  } catch {
    // Damaged, or not ours: it is kept as it is.
  }
}
