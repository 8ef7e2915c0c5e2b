/**
 * Finds the git repositories of this machine's person, to begin with one of them (UI6): below the
 * home folder or the allowed roots, a few folders deep. Reads names and dates only.
 */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { type FolderRules, inspectFolder } from '../../platform/files/folder-rules.ts'

export interface FoundRepository {
  readonly name: string
  readonly path: string
  /** When its HEAD moved last: by a commit, a checkout. */
  readonly changedAt: string | null
}

const maxFolders = 3000
const maxDepth = 4
const maxFound = 50
const neverBelow = new Set(['node_modules', 'vendor', 'target', 'Library', 'snap'])

/** The latest change first. */
export async function findRepositories(
  rules: FolderRules,
  home: string = homedir(),
): Promise<{ items: FoundRepository[]; more: boolean }> {
  const found: FoundRepository[] = []
  let folders = rules.roots.length > 0 ? [...rules.roots] : [home]
  let looked = 0
  for (let depth = 0; depth <= maxDepth && folders.length > 0; depth++) {
    const below: string[] = []
    for (const folder of folders) {
      if (++looked > maxFolders) return ranked(found, true)
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      if (isRepository(entries)) {
        if (inspectFolder(rules, folder).state === 'found') found.push(await described(folder))
      } else below.push(...entries.filter(isWorthALook).map(({ name }) => join(folder, name)))
    }
    folders = below
  }
  return ranked(found, folders.length > 0)
}

/** Where `.git` is a file it is a worktree of another one. */
const isRepository = (entries: readonly Dirent[]): boolean =>
  entries.some((entry) => entry.name === '.git' && entry.isDirectory())

const isWorthALook = (entry: Dirent): boolean =>
  entry.isDirectory() && !entry.name.startsWith('.') && !neverBelow.has(entry.name)

async function described(path: string): Promise<FoundRepository> {
  for (const file of [join('.git', 'logs', 'HEAD'), join('.git', 'HEAD')]) {
    const status = await stat(join(path, file)).catch(() => undefined)
    if (status) return { name: basename(path), path, changedAt: status.mtime.toISOString() }
  }
  return { name: basename(path), path, changedAt: null }
}

function ranked(found: readonly FoundRepository[], more: boolean) {
  const items = found.toSorted((a, b) => ((a.changedAt ?? '') < (b.changedAt ?? '') ? 1 : -1))
  return { items: items.slice(0, maxFound), more: more || items.length > maxFound }
}
