/**
 * Finds processes whose current folder is inside a folder (WT3), as far as permissions allow. Linux only; elsewhere callers must
 * rely on the known launches.
 */
import { readdir, readlink } from 'node:fs/promises'
import { isBelow } from '../../platform/path-inside.ts'

/** Current folder by process id. */
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
