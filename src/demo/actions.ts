/** What both demo agents can do to the machine they run on: write below their folder, leave a child behind. They do no more than that. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import { makeFolderInside, openInside, PathRefused, realPathInside } from '../platform/path-inside.ts'

/** What a forked child lives at most, should nobody end it. */
const childLifetimeMs = 600_000

/** Outlives this process when nobody ends the whole group. */
export function forkChild(): number | undefined {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${childLifetimeMs})`], { stdio: 'ignore' })
  child.unref()
  return child.pid
}

/** Whether it was written; it is not when the path leads out of the folder, over links too, or into what is git's. */
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
