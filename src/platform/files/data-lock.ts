/**
 * Locks a data folder for one server and one coordinator (CF2). The lock is an open SQLite
 * transaction on a separate file: the operating system releases it however the process ends, so no
 * stale lock can remain.
 */
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFailure } from '../processes/start-failure.ts'
import { runFolder } from './data-folder.ts'

/** https://sqlite.org/rescode.html */
const sqliteCode = { busy: 5, full: 13 } as const

export interface DataLock {
  release(): void
}

type Holder = 'server' | 'coordinator'

/** The server's files have no prefix, so that older versions find them. */
const files = {
  server: { lock: 'lock.db', pid: 'holder.pid' },
  coordinator: { lock: 'coordinator-lock.db', pid: 'coordinator-holder.pid' },
} as const

export function lockDataFolder(data: string, holder: Holder = 'server'): DataLock {
  const holderFile = join(runFolder(data), files[holder].pid)
  const lockFile = join(runFolder(data), files[holder].lock)
  // Readable by its owner only.
  closeSync(openSync(lockFile, 'a', 0o600))
  const database = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    throw explain(data, holder, holderFile, error)
  }
  // Only for the message of a second server; the lock itself decides.
  writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 })
  return { release: () => database.close() }
}

function explain(data: string, holder: Holder, holderFile: string, error: unknown): unknown {
  switch ((error as { errcode?: number }).errcode) {
    case sqliteCode.busy:
      return folderInUse(data, holder, holderFile)
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

function folderInUse(data: string, holder: Holder, holderFile: string): StartFailure {
  const pid = readHolder(holderFile)
  return new StartFailure(
    `Another Holdfast ${holder}${pid ? ` (pid ${pid})` : ''} is using the data folder ${data}.`,
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
