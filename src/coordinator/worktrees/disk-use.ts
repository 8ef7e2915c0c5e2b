/** How much disk a folder takes (WT6). Counts for a while and for so many files; what it then has is a lower bound, and says so. */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'

const mostFiles = 500_000
const maxMs = 10_000
/** What the kernel calls a block, whatever the disk does. */
const blockBytes = 512

export interface DiskUse {
  readonly bytes: number
  readonly files: number
  readonly complete: boolean
}

export async function diskUseOf(folder: string, clock: Clock): Promise<DiskUse> {
  const until = clock.now() + maxMs
  const waiting = [folder]
  let [bytes, files] = [0, 0]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await opendir(next).catch(() => undefined)
    if (!entries) continue
    for await (const entry of entries) {
      if (++files > mostFiles || clock.now() > until) return { bytes, files, complete: false }
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      const found = await lstat(path).catch(() => undefined)
      bytes += (found?.blocks ?? 0) * blockBytes
    }
  }
  return { bytes, files, complete: true }
}
