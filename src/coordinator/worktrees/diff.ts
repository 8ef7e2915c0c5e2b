/**
 * Shows all changes of a worktree since its fork point as one patch for `git apply`: committed, uncommitted and untracked (WT2,
 * WT6). The worktree and its index are not changed: untracked files are added to a copy of the index, with a temporary object
 * folder.
 */
import { copyFile, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OurWorktree } from './repository.ts'
import { filesOf, type NamedFile, nulEnded, pathOf, pathspecOf, safeDiffOptions } from './worktree-state.ts'

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

/** A diff to read: without binary contents, cut when too long. `path` selects one file by its displayed path. */
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
  const { repository, top, gitFolder } = worktree
  const files = (await filesOf(worktree)).filter((file) => path === undefined || file.path === path)
  if (path !== undefined && files.length === 0) return { bytes: Buffer.of(), cut: false, leftOut: 0 }
  const untracked = files.filter(({ change }) => change === 'untracked').map(({ name }) => name)
  const added = await thoseThatFit(top, untracked)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-diff-'))
  try {
    const index = join(folder, 'index')
    const objects = join(folder, 'objects')
    await mkdir(objects)
    await copyFile(join(gitFolder, 'index'), index)
    const env = {
      GIT_INDEX_FILE: index,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.facts.commonFolder, 'objects'),
    }
    const paths = ['--pathspec-from-file=-', '--pathspec-file-nul']
    if (added.length > 0)
      await repository.run(['add', '--intent-to-add', ...paths], {
        env: { ...env, GIT_LITERAL_PATHSPECS: '1' },
        input: nulEnded(added),
      })
    const only = path === undefined ? [] : files.flatMap(pathspecsOf)
    const since = await worktree.forkPoint()
    const args = ['diff', ...safeDiffOptions, '--no-color', '--find-renames', ...options, since, '--', ...only]
    const { bytes, cut } = await repository.try(args, { env, maxBytes })
    const leftOut = untracked.length - added.length
    return { bytes: cut ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes, cut, leftOut }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Both names of a renamed file, or it would show as new. */
const pathspecsOf = ({ name, from }: NamedFile): string[] => [...(from ? [from] : []), name].map(pathspecOf)

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
