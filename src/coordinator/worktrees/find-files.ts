/** Finds files of a workplace by a part of their path. Walks folders breadth first, follows no links, and stops at its bounds. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { maxFilesFound } from '../../protocol/processes/coordinator-requests.ts'

const maxEntries = 20_000
const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__', 'target', 'dist', '.next', '.cache'])

/** Paths from the folder, those whose name begins with what is looked for first. */
export async function findFiles(folder: string, q: string): Promise<string[]> {
  const wanted = q.toLowerCase()
  const found: string[] = []
  const folders = ['']
  let seen = 0
  for (let at = folders.shift(); at !== undefined && seen < maxEntries; at = folders.shift()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => [])
    seen += entries.length
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path)
      if (entry.isFile() && path.toLowerCase().includes(wanted)) found.push(path)
    }
  }
  const rank = (path: string): number => Number(!basename(path).toLowerCase().startsWith(wanted))
  return found.sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1)).slice(0, maxFilesFound)
}
