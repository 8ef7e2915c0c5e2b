/**
 * Holds the lock of a checkout's index, as git does, while something there is committed or moved: a
 * git of others does not write it meanwhile, nor we while it writes.
 */

import { hash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesOf } from '../../platform/files/plain-file.ts'
import { processes } from '../../platform/processes/processes.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import { GitFailure } from './git.ts'
import { maxIndexBytes } from './look.ts'

/** Why a lock of git could not be made. */
export const lockFailure = (file: string, { code = '' }: NodeJS.ErrnoException): Detail =>
  code === 'EEXIST'
    ? statusNotice('indexLocked', { file })
    : statusNotice('fileNotMade', { file, code })

export interface LockedIndex {
  /** Puts this index in its place. */
  replaceBy(file: string): Promise<void>
}

/** Locks that this process holds. */
const held = new Set<string>()
const ownLock = /^index\.holdfast-(\d+)-([0-9a-f]{16})$/

/** The name says whose it is: a pid and the start of that process. */
function ownName(): string {
  const birth = processes?.birthOf(process.pid) ?? ''
  return `index.holdfast-${process.pid}-${hash('sha256', birth).slice(0, 16)}`
}

function isAlive(pid: number, birth: string): boolean {
  const found = processes?.birthOf(pid)
  return found !== undefined && hash('sha256', found).startsWith(birth)
}

/**
 * Removes what a coordinator that was killed has left. The lock of git is another name of a file of
 * ours, so one of somebody else is never taken for it.
 */
function dropLeftBehind(gitFolder: string, lock: string): void {
  for (const name of readdirSync(gitFolder)) {
    const [, pid, birth] = ownLock.exec(name) ?? []
    if (pid === undefined || birth === undefined) continue
    const file = join(gitFolder, name)
    if (Number(pid) === process.pid ? held.has(lock) : isAlive(Number(pid), birth)) continue
    const [own, other] = [file, lock].map((each) => statSync(each, { throwIfNoEntry: false }))
    if (own && own.ino === other?.ino) rmSync(lock, { force: true })
    rmSync(file, { force: true })
  }
}

/** Rejects with GitFailure where somebody else holds it. */
export async function withLockedIndex<Result>(
  gitFolder: string,
  work: (index: LockedIndex) => Promise<Result>,
): Promise<Result> {
  const place = join(gitFolder, 'index')
  const lock = `${place}.lock`
  const own = join(gitFolder, ownName())
  const failed = (error: NodeJS.ErrnoException): never => {
    throw new GitFailure(-1, lockFailure(lock, error))
  }
  if (held.has(lock)) failed(Object.assign(new Error(), { code: 'EEXIST' }))
  held.add(lock)
  let isHeld = true
  let handle: FileHandle | undefined
  try {
    dropLeftBehind(gitFolder, lock)
    // A new file, so nothing that lies there is written to.
    const opened = await open(own, 'wx', 0o644).catch(failed)
    handle = opened
    await link(own, lock).catch(async (error: NodeJS.ErrnoException) => {
      isHeld = false
      failed(error)
    })
    return await work({
      async replaceBy(file) {
        const { atime, mtime } = statSync(file)
        await opened.writeFile(bytesOf(file, maxIndexBytes) ?? Buffer.of())
        await opened.utimes(atime, mtime)
        await opened.sync()
        await rename(lock, place)
        isHeld = false
      },
    })
  } finally {
    await handle?.close()
    if (isHeld && handle) await rm(lock, { force: true })
    if (handle) await rm(own, { force: true })
    held.delete(lock)
  }
}
