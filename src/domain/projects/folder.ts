/**
 * Which folders a project may have (SE11), decided from what was found on the disk: never the system's, never one that lies in the data
 * folder or holds it, never one that another project has. Pure; platform/folder-rules.ts looks.
 */
import { refusalText } from '../because.ts'
import { Refusal } from '../errors.ts'
import type { FolderState } from './folder-states.ts'

/** What was found at a path somebody chose. */
export interface FolderLook {
  /** With all links followed and without a slash at its end, as far as this machine can tell. */
  readonly path: string
  readonly state: FolderState
  /** It is in a git repository, as far as this machine can tell. */
  readonly hasGit: boolean
  /** Paths of projects that lead to the same folder in other words. */
  readonly alsoKnownAs: readonly string[]
  readonly data: string
  readonly roots: readonly string[]
}

/** Why no project may have it; undefined when one may. */
export function folderRefusal({ path, state, data, roots }: FolderLook): Refusal | undefined {
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
      return new Refusal('folder_refused', refusalText('folderInData', { path, data }), { path, data })
    case 'above_data':
      return new Refusal('folder_refused', refusalText('folderAboveData', { path, data }), { path, data })
    case 'outside_roots':
      return new Refusal('folder_refused', refusalText('folderOutsideRoots', { path, roots: roots.join(', ') }), { path, roots })
  }
}
