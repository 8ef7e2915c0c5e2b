/**
 * One server per data folder (CF2). The lock is an SQLite transaction held open on a file of its own: the operating system
 * lets go of it however the process ends, so a crash leaves nothing to clean up and a living server is never mistaken for a
 * dead one, whatever its pid.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { runFolder } from './data-folder.ts'
import { StartFailure } from './start-failure.ts'

/** https://sqlite.org/rescode.html */
const sqliteCode = { busy: 5, full: 13 } as const

export interface DataLock {
  release(): void
}

export function lockDataFolder(data: string): DataLock {
  const holderFile = join(runFolder(data), 'holder.pid')
  const database = new DatabaseSync(join(runFolder(data), 'lock.db'), { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    throw explain(data, holderFile, error)
  }
  // For the second one's message only; the lock itself is what counts.
  writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 })
  return { release: () => database.close() }
}

function explain(data: string, holderFile: string, error: unknown): unknown {
  switch ((error as { errcode?: number }).errcode) {
    case sqliteCode.busy:
      return folderInUse(data, holderFile)
    case sqliteCode.full:
      return new StartFailure(
        `There is no space left for the data folder ${data}.`,
        'Free some space on that disk, then start again; nothing was lost.',
        { cause: error },
      )
    default:
      return error
  }
}

function folderInUse(data: string, holderFile: string): StartFailure {
  const pid = readHolder(holderFile)
  return new StartFailure(
    `Another Holdfast server${pid ? ` (pid ${pid})` : ''} is using the data folder ${data}.`,
    `Use that one, stop it${pid ? ` (kill ${pid})` : ''}, or choose another folder with --data DIR.`,
  )
}

function readHolder(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}
