/** A project with one of our worktrees beside it, as an agent of a role would find it. */
import { realpathSync } from 'node:fs'
import { makeWorkspace } from '../../src/coordinator/worktrees/make-workspace.ts'
import { type OurWorktree, openWorktree } from '../../src/coordinator/worktrees/repository.ts'
import { DetailError } from '../../src/domain/notices.ts'
import { at, makeRepository, type TestRepository, testGit } from './git-repository.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface ProjectWithWorktree {
  readonly project: TestRepository
  readonly tree: TestRepository
  readonly root: string
  readonly top: string
  /** As it is now. */
  open(): Promise<OurWorktree>
}

export async function projectWithWorktree(
  project = makeRepository(),
): Promise<ProjectWithWorktree> {
  const git = testGit()
  const root = realpathSync(temporaryFolder())
  const wanted = {
    projectFolder: project.folder,
    root,
    workspace: 'auth',
    userSessionShort: '1c55ab10',
    role: 'auth',
  }
  const made = await makeWorkspace(git, wanted)
  if (made.kind !== 'worktree') throw new DetailError(made.why)
  return {
    project,
    tree: at(made.top),
    root,
    top: made.top,
    open: () => openWorktree(git, made.top),
  }
}
