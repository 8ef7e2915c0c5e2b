/** Commits everything in a worktree on its branch (WT6), in our name (WT4); the person's hooks do not run. */
import type { OurWorktree } from './open-worktree.ts'
import { uncommittedIn } from './worktree-state.ts'

export type Committed = { readonly commit: string; readonly files: number } | { readonly commit: null }

export async function commitAll(worktree: OurWorktree, message: string): Promise<Committed> {
  const { repository } = worktree
  const files = await uncommittedIn(worktree)
  if (files.length === 0) return { commit: null }
  await repository.run(['add', '--all', '--', '.'])
  await repository.run(['commit', '--quiet', '--no-verify', '--cleanup=strip', '--file=-'], { input: message })
  return { commit: (await repository.run(['rev-parse', 'HEAD'])).trim(), files: files.length }
}
