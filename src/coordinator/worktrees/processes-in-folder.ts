/**
 * Which processes work in a folder (WT3): those whose current folder is in it, and that we may look at. Only Linux tells; elsewhere whoever asks
 * has to know from the launches that live.
 */
import { readdir, readlink } from 'node:fs/promises'
import { isBelow } from '../../platform/path-inside.ts'

/** By process: its current folder. */
export type CurrentFolders = ReadonlyMap<number, string>

export async function currentFolders(): Promise<CurrentFolders> {
  if (process.platform !== 'linux') return new Map()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => [pid, await readlink(`/proc/${pid}/cwd`).catch(() => undefined)] as const),
  )
  return new Map(found.flatMap(([pid, folder]) => (folder === undefined ? [] : [[pid, folder] as const])))
}

export async function processesIn(folder: string, processes?: CurrentFolders): Promise<number[]> {
  const all = [...(processes ?? (await currentFolders()))]
  return all.filter(([, current]) => current === folder || isBelow(folder, current)).map(([pid]) => pid)
}
