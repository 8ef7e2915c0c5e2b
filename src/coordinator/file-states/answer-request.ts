/** Answers the server's requests about file states on this machine (FS4, FS7-FS10). */
import { existsSync } from 'node:fs'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import type { ForkAnswer } from '../../protocol/worktrees/file-state.ts'
import type { WorktreeContext } from '../worktrees/answer-request.ts'
import { GitFailure } from '../worktrees/git.ts'
import { makeWorkspace } from '../worktrees/make-workspace.ts'
import { rootFor } from '../worktrees/prepare-workspace.ts'
import { restoreFailed } from './restore.ts'
import { takeAfter } from './turn-files.ts'

type FilesRequest = Extract<CoordinatorRequest, { kind: `files-${string}` }>

export async function answerAboutFiles(
  machine: WorktreeContext,
  ask: FilesRequest,
): Promise<unknown> {
  const { fileStates } = machine
  switch (ask.kind) {
    case 'files-diff':
      return there(await fileStates.diff(folderOf(ask.folders), ask.from, ask.to, ask.path))
    case 'files-take': {
      const before = {
        top: ask.folder,
        state: { tree: ask.since, leftOut: null, head: ask.since },
        leftOut: [],
      }
      return (await takeAfter({ fileStates, onTrouble: () => {} }, ask.folder, ask, before)) ?? null
    }
    case 'files-restore':
      return (await fileStates.restore(ask.folder, ask)) ?? restoreFailed(gone())
    case 'files-fork':
      return fork(machine, ask)
    case 'files-keep':
      return there(await fileStates.keepOnly(folderOf(ask.folders), ask.key, ask.needed))
  }
}

const folderOf = (folders: readonly string[]): string =>
  folders.find((folder) => existsSync(folder)) ?? folders[0] ?? ''

function there<Value>(value: Value | null): Value {
  if (value === null) throw gone()
  return value
}
const gone = () => new GitFailure(-1, statusNotice('repositoryGone'))

/**
 * Makes the worktree of the new conversation as its first turn would, with the files of the state.
 */
async function fork(
  { git, fileStates, worktreesFolder }: WorktreeContext,
  {
    folders,
    projectId,
    projectFolder,
    role,
    key,
    state,
  }: Extract<FilesRequest, { kind: 'files-fork' }>,
): Promise<ForkAnswer> {
  const base = there(await fileStates.forkBase(folderOf(folders), state))
  const userSessionShort = 'chat'
  const root = await rootFor(worktreesFolder, projectId, userSessionShort)
  const files = { base, write: (top: string) => fileStates.write(top, state, key) }
  const made = await makeWorkspace(git, {
    projectFolder,
    root,
    workspace: role,
    userSessionShort,
    role,
    files,
  })
  if (made.kind === 'plain') throw new GitFailure(-1, made.why)
  const { folder, top, branch, baseBranch } = made
  return { folder, top, branch, baseBranch }
}
