/**
 * Checks whether a folder may be used for a project (SE11), after following links. Folders are
 * compared by device and inode, so neither a link nor a second mount hides one. Changes nothing.
 */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, resolve } from 'node:path'
import type { FolderState } from '../../domain/projects/folder-states.ts'

export interface FolderRules {
  readonly data: string
  /** The folders in which projects may be; anywhere when empty. */
  readonly roots: readonly string[]
}

/** System folders, which no project may use or lie in. */
const systemFolders = ['/etc', '/proc', '/sys', '/dev']
/** A file system in memory below /dev, with ordinary files. */
const memory = '/dev/shm'

export interface LocalLook {
  readonly path: string
  readonly state: Exclude<FolderState, 'elsewhere'>
  readonly hasGit: boolean
}

export function inspectFolder(rules: FolderRules, wanted: string): LocalLook {
  // A path of another operating system.
  if (!isAbsolute(wanted)) return { path: wanted, state: 'missing', hasGit: false }
  const path = realPath(resolve(wanted))
  const refused = refusedState(rules, path)
  if (refused) return { path, state: refused, hasGit: false }
  const found = foundAt(path)
  if (!found?.isDirectory())
    return { path, state: found ? 'not_a_folder' : 'missing', hasGit: false }
  return {
    path,
    state: 'found',
    hasGit: lineOf(path).some((each) => foundAt(join(each, '.git')) !== undefined),
  }
}

function refusedState({ data, roots }: FolderRules, path: string): LocalLook['state'] | undefined {
  const realData = realPath(resolve(data))
  // Except for the demo repository that a first start makes (UI6).
  if (path === join(realData, 'demo')) return undefined
  if (path === parse(path).root || isOfSystem(path)) return 'system'
  if (isAtOrBelow(realData, path)) return 'in_data'
  if (isAtOrBelow(path, realData)) return 'above_data'
  if (roots.length > 0 && !roots.some((root) => isAtOrBelow(root, path))) return 'outside_roots'
  return undefined
}

const isOfSystem = (path: string): boolean =>
  systemFolders.some((folder) => isAtOrBelow(folder, path)) && !isAtOrBelow(memory, dirname(path))

/** Whether the path is the folder or lies in it. */
function isAtOrBelow(folder: string, path: string): boolean {
  const wanted = identity(folder)
  return wanted !== undefined && lineOf(path).some((each) => identity(each) === wanted)
}

function identity(path: string): string | undefined {
  const found = foundAt(path)
  return found && `${found.dev}:${found.ino}`
}

/** The file's status; undefined when it is missing or not accessible. */
function foundAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

/** The path and all its parent folders. */
function lineOf(path: string): string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...lineOf(above)]
}

/** Follows links as far as the path exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const above = dirname(path)
    return above === path
      ? path
      : join(realPath(above), path.slice(above.length).replace(/^[\\/]/, ''))
  }
}
