/** Opens a worktree that Holdfast made, identified by its record. Others are refused. */
import { type Git, GitFailure } from './git.ts'
import { openRepository, Repository } from './repository.ts'
import { readWorktreeRecord, type WorktreeRecord } from './worktree-record.ts'

export interface OurWorktree {
  readonly repository: Repository
  readonly top: string
  readonly gitFolder: string
  readonly record: WorktreeRecord
  /** The merge base with the base branch, or the base commit when that branch is gone. Computed once, on first use. */
  forkPoint(): Promise<string>
}

export async function openWorktree(git: Git, top: string): Promise<OurWorktree> {
  const repository = await openRepository(git, top)
  if (!(repository instanceof Repository)) throw new GitFailure(-1, repository.why)
  if (repository.facts.top !== top) throw new GitFailure(-1, `${top} is not the top of a worktree.`)
  const { gitFolder, commonFolder } = repository.facts
  const record = gitFolder === commonFolder ? undefined : await readWorktreeRecord(gitFolder)
  if (!record) throw new GitFailure(-1, `${top} is not a worktree that Holdfast made.`)
  let forkPoint: Promise<string> | undefined
  return {
    repository,
    top,
    gitFolder,
    record,
    forkPoint() {
      forkPoint ??= forkPointOf(repository, record)
      return forkPoint
    },
  }
}

async function forkPointOf(repository: Repository, { base, baseBranch }: WorktreeRecord): Promise<string> {
  if (baseBranch === null) return base
  const found = await repository.try(['merge-base', 'HEAD', `refs/heads/${baseBranch}`])
  return found.code === 0 ? found.stdout.trim() : base
}
