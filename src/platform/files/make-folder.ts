/**
 * Creates a folder and its parents durably. Node's recursive mkdir never returns where nothing can
 * be created, as under /proc.
 */
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from './atomic-file.ts'

export const makeFolder = (path: string, mode = 0o700): Promise<void> =>
  makeParents(path, mode, true)

/**
 * `mayRetry`: another process may have created the parent meanwhile; under /proc it never exists.
 */
async function makeParents(path: string, mode: number, mayRetry: boolean): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    const hasParent = existsSync(dirname(path))
    if (code !== 'ENOENT' || (hasParent && !mayRetry)) throw error
    if (!hasParent) await makeFolder(dirname(path), mode)
    return makeParents(path, mode, false)
  }
  // Otherwise a power cut could remove the new folder with everything in it.
  await syncFolder(dirname(path))
}
