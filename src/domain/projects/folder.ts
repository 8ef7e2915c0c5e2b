/**
 * Decides which folders a project may have (SE11): no system folder, none inside or above the data
 * folder, none of another project. Pure; platform/files/folder-rules.ts reads the disk.
 */

import { Refusal } from '../errors.ts'
import { refusalText } from '../refusal-texts.ts'
import type { FolderState } from './folder-states.ts'

/** What was found at a chosen path. */
export interface FolderInspection {
  /** The real path without a trailing slash, as far as this machine knows. */
  readonly path: string
  readonly state: FolderState
  /** The folder is in a git repository, as far as this machine knows. */
  readonly hasGit: boolean
  /** Paths of other projects that lead to the same folder. */
  readonly alsoKnownAs: readonly string[]
  readonly data: string
  readonly roots: readonly string[]
}

/** Why no project may have the folder; undefined when one may. */
export function folderRefusal({ path, state, data, roots }: FolderInspection): Refusal | undefined {
  switch (state) {
    case 'found':
    case 'elsewhere':
      return undefined
    case 'missing':
      return new Refusal('folder_missing', refusalText('folderMissing', { path }), { path })
    case 'not_a_folder':
      return new Refusal('folder_missing', refusalText('folderIsFile', { path }), { path })
    case 'system':
      return new Refusal('folder_refused', refusalText('folderOfSystem', { path }), { path })
    case 'in_data':
      return new Refusal('folder_refused', refusalText('folderInData', { path, data }), {
        path,
        data,
      })
    case 'above_data':
      return new Refusal('folder_refused', refusalText('folderAboveData', { path, data }), {
        path,
        data,
      })
    case 'outside_roots':
      return new Refusal(
        'folder_refused',
        refusalText('folderOutsideRoots', { path, roots: roots.join(', ') }),
        { path, roots },
      )
  }
}

/** Whether a path is absolute and names its folder directly. */
export const isAbsolutePath = (path: string): boolean =>
  /^(\/|[A-Za-z]:[\\/])/.test(path) && !path.split(/[\\/]/).some((name) => name === '..')

/** Whether a folder is another, or below it, as their paths say. */
export const isWithin = (folder: string, path: string): boolean => {
  const base = folder.replace(/[\\/]+$/, '')
  return path === folder || path === base || path.startsWith(`${base}/`)
}
