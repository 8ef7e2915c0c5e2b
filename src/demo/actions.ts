/** Actions of both demo agents on their machine: writing below their folder and leaving a child process. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import { makeFolderInside, openInside, PathRefused, realPathInside } from '../platform/path-inside.ts'

/** Upper bound of a child's lifetime. */
const childLifetimeMs = 600_000

/** Starts a child that outlives this process unless the whole group is ended. */
export function forkChild(): number | undefined {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${childLifetimeMs})`], { stdio: 'ignore' })
  child.unref()
  return child.pid
}

/** Returns whether the file was written; refuses a path outside of the folder, also through links, or inside .git. */
export async function writeBelow(folder: string, path: string, text: string): Promise<boolean> {
  try {
    const target = await realPathInside(folder, isAbsolute(path) ? relative(folder, path) : path)
    const root = await realpath(folder)
    const way = relative(root, target)
    if (dirname(way) !== '.') await makeFolderInside(root, dirname(way), 0o777)
    const file = await openInside(root, target, constants.O_WRONLY | constants.O_CREAT)
    try {
      await file.truncate()
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if (error instanceof PathRefused) return false
    throw error
  }
}
