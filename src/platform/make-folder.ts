/**
 * Makes a folder with all that lead to it, durably, step by step: Node's own recursive mkdir never ends where nothing can be made, as
 * under /proc.
 */
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from './atomic-file.ts'

export const makeFolder = (path: string, mode = 0o700): Promise<void> => makeParents(path, mode, true)

/** `mayRetry`: another may have made the parent since this was refused for want of it; under /proc it is refused for ever. */
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
  // Until then a power cut could take the new folder, with everything kept in it since.
  await syncFolder(dirname(path))
}
