/**
 * Everything that has changed in a worktree since it began, as one patch that `git apply` takes: committed, uncommitted and
 * untracked (WT2, WT6). The worktree and its index stay as they are: untracked files are added to a copy of the index, and
 * what that writes goes to a folder of its own.
 */
import { copyFile, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OurWorktree } from './open-worktree.ts'
import { uncommittedIn } from './worktree-state.ts'

const maxShownBytes = 2 * 1024 * 1024
const maxPatchBytes = 64 * 1024 * 1024
/** Of untracked files that are taken along; more is a folder that somebody forgot to ignore. */
const mostUntracked = 2000
const maxUntrackedBytes = 64 * 1024 * 1024

export interface WorktreeDiff {
  readonly text: string
  /** There is more than is shown; the patch has all of it. */
  readonly cut: boolean
  /** Untracked files that are not in it, because they are too many or too large. */
  readonly leftOut: number
}

/** To read: without the contents of binary files, and cut where it becomes too long. */
export const diffOf = (worktree: OurWorktree): Promise<WorktreeDiff> => differences(worktree, [], maxShownBytes)

/** To apply elsewhere: whole. One that is too long comes cut, and is good for nothing then. */
export const patchOf = (worktree: OurWorktree): Promise<WorktreeDiff> =>
  differences(worktree, ['--binary', '--full-index'], maxPatchBytes)

async function differences(worktree: OurWorktree, options: readonly string[], maxBytes: number): Promise<WorktreeDiff> {
  const { repository, top, gitFolder, forkPoint } = worktree
  const untracked = (await uncommittedIn(worktree)).filter(({ change }) => change === 'untracked').map(({ path }) => path)
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
        input: added.join('\0'),
      })
    const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', ...options, forkPoint, '--']
    const { stdout, cut } = await repository.try(args, { env, maxBytes })
    return { text: cut ? stdout.slice(0, stdout.lastIndexOf('\n') + 1) : stdout, cut, leftOut: untracked.length - added.length }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function thoseThatFit(top: string, paths: readonly string[]): Promise<string[]> {
  const fit: string[] = []
  let bytes = 0
  for (const path of paths.slice(0, mostUntracked)) {
    const found = await lstat(join(top, path)).catch(() => undefined)
    if (!found || bytes + found.size > maxUntrackedBytes) continue
    bytes += found.size
    fit.push(path)
  }
  return fit
}
