/**
 * Holds the lock of a checkout's index, as git does, while something there is committed or moved: a
 * git of others does not write it meanwhile, nor we while it writes.
 */

import { statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesOf } from '../../platform/files/plain-file.ts'
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

/** Rejects with GitFailure where somebody else holds it. */
export async function withLockedIndex<Result>(
  gitFolder: string,
  work: (index: LockedIndex) => Promise<Result>,
): Promise<Result> {
  const place = join(gitFolder, 'index')
  const lock = `${place}.lock`
  // A new file, so nothing that lies there is written to.
  const handle: FileHandle = await open(lock, 'wx', 0o644).catch((error: NodeJS.ErrnoException) => {
    throw new GitFailure(-1, lockFailure(lock, error))
  })
  let isHeld = true
  try {
    return await work({
      async replaceBy(file) {
        const { atime, mtime } = statSync(file)
        await handle.writeFile(bytesOf(file, maxIndexBytes) ?? Buffer.of())
        await handle.utimes(atime, mtime)
        await rename(lock, place)
        isHeld = false
      },
    })
  } finally {
    await handle.close()
    if (isHeld) await rm(lock, { force: true })
  }
}
