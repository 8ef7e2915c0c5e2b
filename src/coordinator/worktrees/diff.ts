/**
 * Shows all changes of a worktree since its fork point as one patch for `git apply`: committed,
 * uncommitted and untracked (WT2, WT6). The worktree and its index are not changed: untracked files
 * are added to a copy of the index, with a temporary object folder.
 */
import { lstat } from 'node:fs/promises'
import { pathOf, pathspecOf } from './file-names.ts'
import { type NamedFile, withNewFiles } from './look.ts'
import type { OurWorktree } from './repository.ts'
import { filesOf, safeDiffOptions } from './worktree-state.ts'

const maxShownBytes = 2 * 1024 * 1024
/** Limited by the link and the answer table. */
export const maxPatchBytes = 16 * 1024 * 1024
/** More untracked files mean a folder that should be ignored. */
const maxUntrackedFiles = 2000
const maxUntrackedBytes = 64 * 1024 * 1024

export interface WorktreeDiff {
  readonly bytes: Buffer
  /** The diff was cut; the patch is complete. */
  readonly cut: boolean
  /** Untracked files left out because they are too many or too large. */
  readonly leftOut: number
}

/**
 * A diff to read: without binary contents, cut when too long. `path` selects one file by its
 * displayed path.
 */
export const diffOf = (worktree: OurWorktree, path?: string): Promise<WorktreeDiff> =>
  differences(worktree, [], maxShownBytes, path)

/** A complete patch to apply elsewhere. If it is too long it comes cut and cannot be used. */
export const patchOf = (worktree: OurWorktree): Promise<WorktreeDiff> =>
  differences(worktree, ['--binary', '--full-index'], maxPatchBytes)

async function differences(
  worktree: OurWorktree,
  options: readonly string[],
  maxBytes: number,
  path?: string,
): Promise<WorktreeDiff> {
  const { repository, top } = worktree
  const { all, staged } = await filesOf(worktree)
  const files = all.filter((file) => path === undefined || file.path === path)
  if (path !== undefined && files.length === 0)
    return { bytes: Buffer.of(), cut: false, leftOut: 0 }
  const untracked = files.filter(({ change }) => change === 'untracked').map(({ name }) => name)
  const added = await thoseThatFit(top, untracked)
  const only = path === undefined ? [] : files.flatMap(pathspecsOf)
  const since = await worktree.forkPoint()
  const args = [
    'diff',
    ...safeDiffOptions,
    '--no-color',
    '--find-renames',
    ...options,
    since,
    '--',
    ...only,
  ]
  const { bytes, cut } = await withNewFiles(repository, [...staged, ...added], (env) =>
    repository.try(args, { env, maxBytes }),
  )
  const leftOut = untracked.length - added.length
  return { bytes: cut ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes, cut, leftOut }
}

/** Both names of a renamed file, or it would show as new. */
const pathspecsOf = ({ name, from }: NamedFile): string[] =>
  [...(from ? [from] : []), name].map(pathspecOf)

async function thoseThatFit(top: string, names: readonly Buffer[]): Promise<Buffer[]> {
  const fit: Buffer[] = []
  let bytes = 0
  for (const name of names.slice(0, maxUntrackedFiles)) {
    const found = await lstat(pathOf(top, name)).catch(() => undefined)
    if (!found || bytes + found.size > maxUntrackedBytes) continue
    bytes += found.size
    fit.push(name)
  }
  return fit
}
