/** One of our worktrees, found by its folder and known by its mark; whatever is not ours is not opened. */
import { type Git, GitFailure } from './git.ts'
import { readMark, type WorktreeMark } from './mark.ts'
import { lookAtRepository, Repository } from './repository.ts'

export interface OurWorktree {
  readonly repository: Repository
  readonly top: string
  readonly gitFolder: string
  readonly mark: WorktreeMark
  /** What the branch has come from: where it left the branch it began at, as far as that has gone on. Asked of git once, by who needs it. */
  forkPoint(): Promise<string>
}

export async function openWorktree(git: Git, top: string): Promise<OurWorktree> {
  const repository = await lookAtRepository(git, top)
  if (!(repository instanceof Repository)) throw new GitFailure(-1, repository.why)
  if (repository.facts.top !== top) throw new GitFailure(-1, `${top} is not the top of a worktree.`)
  const { gitFolder, commonFolder } = repository.facts
  const mark = gitFolder === commonFolder ? undefined : await readMark(gitFolder)
  if (!mark) throw new GitFailure(-1, `${top} is not a worktree that Holdfast made.`)
  let forkPoint: Promise<string> | undefined
  return {
    repository,
    top,
    gitFolder,
    mark,
    forkPoint() {
      forkPoint ??= forkPointOf(repository, mark)
      return forkPoint
    },
  }
}

async function forkPointOf(repository: Repository, { base, baseBranch }: WorktreeMark): Promise<string> {
  if (baseBranch === null) return base
  const found = await repository.try(['merge-base', 'HEAD', `refs/heads/${baseBranch}`])
  return found.code === 0 ? found.stdout.trim() : base
}
