/**
 * Finds data folders, of whatever server, in what a sandbox is about to show (SB11): the clone that
 * the program runs from may hold one, and so may a workplace or an allowed folder. Looks a little
 * way down and a bounded number of times, because a start waits.
 */
import { type Dirent, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { looksLikeData } from '../../platform/files/data-folder.ts'
import { isBelow } from '../../platform/files/path-inside.ts'

const maxDepth = 2
/** For each folder that is shown. */
const maxLooks = 200
const isSkipped = (path: string): boolean => /(^|\/)(node_modules|\.git)(\/|$)/.test(path)

export const dataFoldersIn = (folders: readonly string[]): string[] => [
  ...new Set(folders.filter((each) => !isSkipped(each)).flatMap((each) => below(each))),
]

function below(root: string): string[] {
  const found: string[] = []
  let level = [root]
  for (let depth = 0, looks = 0; depth <= maxDepth; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (looks++ >= maxLooks) return found
      const entries = entriesOf(folder)
      if (isData(folder, entries)) found.push(folder)
      else
        next.push(
          ...entries
            .filter((each) => each.isDirectory() && !isSkipped(each.name))
            .map(({ name }) => join(folder, name)),
        )
    }
    // The usual names first, for folders with very many others.
    level = next.toSorted((a, b) => Number(b.includes('holdfast')) - Number(a.includes('holdfast')))
  }
  return found
}

/**
 * Whether a path is of a data folder, and none of the agents that Holdfast has installed there
 * (AG18): of these a launch shows its own program only.
 */
export const isHiddenIn = (data: string, path: string): boolean =>
  path === data || (isBelow(data, path) && !isBelow(join(data, 'agents'), path))

/** Whether the folder is in a data folder. */
export function isInDataFolder(folder: string): boolean {
  for (let above = folder; above !== dirname(above); above = dirname(above))
    if (isData(above, entriesOf(above))) return true
  return false
}

export const isDataFolder = (folder: string): boolean => isData(folder, entriesOf(folder))

const isData = (folder: string, entries: readonly Dirent[]): boolean =>
  looksLikeData(
    entries.map(({ name }) => name),
    () => entriesOf(join(folder, 'secrets')).map(({ name }) => name),
  )

/** None of what is no folder, or cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
