/**
 * Opens somebody else's SQLite database so that nothing beside it changes. One that is at rest is
 * read in place, as unchangeable; one that somebody writes is copied with its log, and the copy is
 * read. A copy holds what the original holds, so it is private and goes with this process.
 */

import { rmSync } from 'node:fs'
import { constants, copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { copyTries } from './limits.ts'

export class BusyError extends Error {}

interface Copy {
  readonly folder: string
  readonly state: string
}

/** By the path of the original. */
const copies = new Map<string, Copy>()
const copyName = 'database'
const prefix = 'holdfast-past-'

const stateOf = async (
  file: string,
): Promise<{ readonly size: number; readonly state: string }> => {
  const found = await stat(file).catch(() => undefined)
  return { size: found?.size ?? 0, state: found ? `${found.size} ${found.mtimeMs}` : '' }
}

async function statesOf(
  file: string,
): Promise<{ readonly state: string; readonly hasLog: boolean }> {
  const [database, log] = await Promise.all([stateOf(file), stateOf(`${file}-wal`)])
  return { state: `${database.state}, ${log.state}`, hasLog: log.size > 0 }
}

/** Uses the database as it is now. Throws `BusyError` when it does not stand still to be copied. */
export async function* rowsIn<Row>(
  file: string,
  use: (database: DatabaseSync) => Iterable<Row>,
): AsyncGenerator<Row> {
  const { hasLog, state } = await statesOf(file)
  if (hasLog) {
    yield* usedRows(join(await copyOf(file, state), copyName), '', use)
    return
  }
  yield* usedRows(file, '?immutable=1', use)
  if ((await statesOf(file)).state !== state) throw new BusyError()
}

function* usedRows<Row>(
  file: string,
  parameters: string,
  use: (database: DatabaseSync) => Iterable<Row>,
): Generator<Row> {
  const url = new URL(`${pathToFileURL(file).href}${parameters}`)
  const database = new DatabaseSync(url, { readOnly: true })
  try {
    database.exec('pragma trusted_schema = off')
    yield* use(database)
  } finally {
    database.close()
  }
}

async function copyOf(file: string, state: string): Promise<string> {
  const before = copies.get(file)
  if (before?.state === state) return before.folder
  if (before) await removeCopy(file, before)
  else await removeOrphans()
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  for (let tries = 0; tries < copyTries; tries++) {
    const was = await statesOf(file)
    await copyFile(file, join(folder, copyName), constants.COPYFILE_FICLONE)
    await copyFile(`${file}-wal`, join(folder, `${copyName}-wal`), constants.COPYFILE_FICLONE)
    if ((await statesOf(file)).state !== was.state) continue
    if (copies.size === 0) process.once('exit', removeAtExit)
    copies.set(file, { folder, state: was.state })
    return folder
  }
  await rm(folder, { recursive: true, force: true })
  throw new BusyError()
}

async function removeCopy(file: string, { folder }: Copy): Promise<void> {
  copies.delete(file)
  await rm(folder, { recursive: true, force: true })
}

/** Removes what is copied; the next read copies again. */
export async function removeCopies(): Promise<void> {
  for (const [file, copy] of copies) await removeCopy(file, copy)
}

function removeAtExit(): void {
  for (const { folder } of copies.values()) rmSync(folder, { recursive: true, force: true })
}

/** Copies of processes that were killed. */
async function removeOrphans(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (pid > 0 && !lives(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
