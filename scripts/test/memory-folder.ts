/**
 * A folder in memory for what the tests write: they make, sync and remove thousands of files, which
 * on a disk is most of what the system does for them. Where there is no such place, or not much
 * room in it, or nothing may be run from it, there is none, and everything goes where it always
 * goes. What a run left that was killed is removed by the next.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, ownerOf } from '../../test/support/postgres-leftovers.ts'

/** Everything together stays far below. */
const leastRoom = 8 * 1024 ** 3
const place = '/dev/shm'
const prefix = 'holdfast-tests-'

export interface MemoryFolder {
  /**
   * The folder of this run, open to every user: where we are root, PostgreSQL runs as another one.
   */
  readonly folder: string
  /** The file system's own, for what outlives the run by a moment. */
  readonly place: string
  remove(): void
}

/**
 * Both rooms share one PostgreSQL, which takes a moment longer than we do to end. The browser is
 * unpacked once, not for each run.
 */
export const memoryEnvironment = (
  memory: MemoryFolder | undefined,
  elsewhere: string,
): Readonly<Record<string, string>> =>
  memory
    ? { TMPDIR: memory.folder, TEST_POSTGRES_FOLDER: memory.place, TEST_BROWSER_FOLDER: elsewhere }
    : {}

export function memoryFolder(): MemoryFolder | undefined {
  try {
    clearLeftovers()
    const { bavail, bsize } = statfsSync(place)
    if (Math.min(bavail * bsize, process.availableMemory()) < leastRoom) return undefined
    const folder = join(place, `${prefix}${ownerOf(process.pid)}`)
    mkdirSync(folder)
    const remove = (): void => rmSync(folder, { recursive: true, force: true })
    chmodSync(folder, 0o1777)
    if (mayRunFrom(folder)) return { folder, place, remove }
    remove()
  } catch {
    // Not Linux, or not ours to write to.
  }
  return undefined
}

function mayRunFrom(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}

function clearLeftovers(): void {
  for (const name of readdirSync(place)) {
    if (!name.startsWith(prefix) || isAlive(name.slice(prefix.length))) continue
    rmSync(join(place, name), { recursive: true, force: true })
  }
}
