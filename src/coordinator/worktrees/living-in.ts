/**
 * Which processes work in a folder (WT3): those whose current folder is in it, and that we may look at. Only Linux tells; elsewhere whoever asks
 * has to know from the launches that live.
 */
import { readdir, readlink } from 'node:fs/promises'
import { isBelow } from '../../platform/path-inside.ts'

export async function livingIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const current = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
      return current !== undefined && (current === folder || isBelow(folder, current)) ? [pid] : []
    }),
  )
  return found.flat()
}
