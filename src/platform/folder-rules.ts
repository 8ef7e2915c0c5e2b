/**
 * Looks at a folder somebody wants for a project (SE11): where it really is, and whether it may be one at all. Folders are compared by
 * what they are (device and number) and not by their names, so neither a link nor a second mount hides one. Changes nothing.
 */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, resolve } from 'node:path'
import type { FolderState } from '../domain/projects/folder-states.ts'

export interface FolderRules {
  /** The data folder. */
  readonly data: string
  /** Where projects may be; anywhere when empty. */
  readonly roots: readonly string[]
}

/** Neither these nor anything in them. */
const systemFolders = ['/etc', '/proc', '/sys', '/dev']
/** A file system in memory that lies among the devices and holds none: what is in it is files like any others. */
const memory = '/dev/shm'

export interface LocalLook {
  readonly path: string
  readonly state: Exclude<FolderState, 'elsewhere'>
  readonly hasGit: boolean
}

export function inspectFolder(rules: FolderRules, wanted: string): LocalLook {
  // A path of another kind of system.
  if (!isAbsolute(wanted)) return { path: wanted, state: 'missing', hasGit: false }
  const path = realPath(resolve(wanted))
  const refused = refusedState(rules, path)
  if (refused) return { path, state: refused, hasGit: false }
  const found = foundAt(path)
  if (!found?.isDirectory()) return { path, state: found ? 'not_a_folder' : 'missing', hasGit: false }
  return { path, state: 'found', hasGit: lineOf(path).some((each) => foundAt(join(each, '.git')) !== undefined) }
}

function refusedState({ data, roots }: FolderRules, path: string): LocalLook['state'] | undefined {
  const realData = realPath(resolve(data))
  // The one exception: the repository that a first start makes (UI6).
  if (path === join(realData, 'demo')) return undefined
  if (path === parse(path).root || isOfSystem(path)) return 'system'
  if (isAtOrBelow(realData, path)) return 'in_data'
  if (isAtOrBelow(path, realData)) return 'above_data'
  if (roots.length > 0 && !roots.some((root) => isAtOrBelow(root, path))) return 'outside_roots'
  return undefined
}

const isOfSystem = (path: string): boolean =>
  systemFolders.some((folder) => isAtOrBelow(folder, path)) && !isAtOrBelow(memory, dirname(path))

/** Whether the folder is the path, or one of those it lies in. */
function isAtOrBelow(folder: string, path: string): boolean {
  const wanted = identity(folder)
  return wanted !== undefined && lineOf(path).some((each) => identity(each) === wanted)
}

function identity(path: string): string | undefined {
  const found = foundAt(path)
  return found && `${found.dev}:${found.ino}`
}

/** What we may not see is not there for us. */
function foundAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

/** The path and all the folders it lies in. */
function lineOf(path: string): string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...lineOf(above)]
}

/** With links followed as far as the path exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPath(above), path.slice(above.length).replace(/^[\\/]/, ''))
  }
}
