/** Commits everything in a worktree on its branch (WT6) with Holdfast as the committer (WT4), without the person's hooks. */
import type { OurWorktree } from './open-worktree.ts'
import type { Repository } from './repository.ts'
import { submodulesIn, uncommittedIn } from './worktree-state.ts'

export type CommitResult = { readonly commit: string; readonly files: number } | { readonly commit: null }

export async function commitAll(worktree: OurWorktree, message: string): Promise<CommitResult> {
  const { repository } = worktree
  const files = await uncommittedIn(worktree)
  if (files.length === 0) return { commit: null }
  await stageAll(repository)
  await repository.run(['commit', '--quiet', '--no-verify', '--cleanup=strip', '--file=-'], { input: message })
  return { commit: (await repository.run(['rev-parse', 'HEAD'])).trim(), files: files.length }
}

/**
 * Stages submodules separately: `git add` would start git in each, which obeys the submodule's configuration (SE4). Only their
 * commit is staged.
 */
async function stageAll(repository: Repository): Promise<void> {
  const submodules = await submodulesIn(repository)
  const others = [Buffer.from('.'), ...submodules.map((name) => Buffer.concat([Buffer.from(':(top,exclude,literal)'), name]))]
  await repository.run(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], { input: nulEnded(others) })
  if (submodules.length > 0) await repository.run(['update-index', '--add', '-z', '--stdin'], { input: nulEnded(submodules) })
}

const nulEnded = (words: readonly Buffer[]): Buffer => Buffer.concat(words.flatMap((word) => [word, Buffer.of(0)]))
