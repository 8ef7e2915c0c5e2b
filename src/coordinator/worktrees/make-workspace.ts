/**
 * Where an agent of a role or a conversation works (WT1, WT4, CX9): a git worktree on a branch of its own, or a plain directory where git has nothing to offer. Asked
 * again for the same role it gives the same. It never works in a checkout of the person's, and never removes anything.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolderInside, namesIn, PathRefused, realPathInside } from '../../platform/path-inside.ts'
import { statusText } from '../../protocol/sentences.ts'
import { branchOf } from './branch-name.ts'
import type { Git } from './git.ts'
import { listWorktrees } from './list-worktrees.ts'
import { gitFolderNamedAt, openRepository, Repository } from './repository.ts'
import { readWorktreeRecord, type WorktreeRecord, writeWorktreeRecord } from './worktree-record.ts'

/** AG2: of their owner's alone. */
const folderMode = 0o700
/** A large repository takes a while. */
const checkoutMs = 600_000

export interface WantedWorkspace {
  /** The project's folder on this machine; null when it has none. */
  readonly projectFolder: string | null
  /** Of the user session; every workspace of it is below. */
  readonly root: string
  /** A path below the root. */
  readonly workspace: string
  readonly userSessionShort: string
  readonly role: string
  /** Where git has nothing to offer: the project's own folder (CX9). */
  readonly orFolder?: boolean
}

export type Workspace =
  | {
      readonly kind: 'worktree'
      /** Where the agent starts: the same place in the tree as the project's folder is in its own. */
      readonly folder: string
      readonly top: string
      readonly branch: string
      readonly base: string
      readonly baseBranch: string | null
      /** It was there already. */
      readonly reused: boolean
    }
  | { readonly kind: 'plain'; readonly folder: string; readonly why: string }

/** Rejects with PathRefused for a workspace that leaves its root or is taken, with a GitFailure where git refuses. */
export async function makeWorkspace(git: Git, wanted: WantedWorkspace): Promise<Workspace> {
  const { projectFolder, root, workspace } = wanted
  const repository = projectFolder === null ? noFolder : await openRepository(git, projectFolder)
  if (repository instanceof Repository) return makeWorktree(repository, wanted)
  if (wanted.orFolder && projectFolder !== null) return { kind: 'plain', folder: projectFolder, why: repository.why }
  return { kind: 'plain', folder: await makeFolderInside(root, workspace, folderMode), why: repository.why }
}

const noFolder = { why: statusText('noFolderHere') }

async function makeWorktree(repository: Repository, wanted: WantedWorkspace): Promise<Workspace> {
  const { root, workspace, userSessionShort, role } = wanted
  const { head, branch: baseBranch, prefix } = repository.facts
  const top = await pathFor(root, workspace)
  const branch = branchOf(userSessionShort, role)
  const record: WorktreeRecord = { userSessionShort, role, branch, base: head, baseBranch }
  const known = await repository.serialize(() => registerWorktree(repository, top, record, workspace))
  // Files are written outside of the turn: that takes long, and disturbs nobody.
  if (!known) await checkOut(repository, top, record)
  return {
    kind: 'worktree',
    // The project's folder may be one that git does not know of.
    folder: prefix === '' ? top : await makeFolderInside(top, prefix, folderMode),
    top,
    branch: known?.branch ?? branch,
    base: known?.base ?? head,
    baseBranch: known ? known.baseBranch : baseBranch,
    reused: known !== undefined,
  }
}

/** The tree in git's list, made or found. Undefined: it is not whole yet, or was cut off while it was made. */
async function registerWorktree(
  repository: Repository,
  top: string,
  record: WorktreeRecord,
  workspace: string,
): Promise<WorktreeRecord | undefined> {
  const found = (await listWorktrees(repository)).find(({ folder }) => folder === top)
  if (found && !existsSync(top))
    throw new PathRefused(statusText('worktreeGone', { folder: top, branch: record.branch, command: 'git worktree prune' }))
  if (!found) {
    if (existsSync(top) && (await readdir(top)).length > 0) throw takenError(workspace)
    const add = await addArguments(repository, top, record)
    // Made by us, empty: git would make it as open as the umask lets it.
    await mkdir(top, { recursive: true, mode: folderMode })
    await repository.run(add)
    return undefined
  }
  const known = await readWorktreeRecord(await gitFolderOf(repository, top))
  if (known ? known.userSessionShort !== record.userSessionShort || known.role !== record.role : found.branch !== record.branch)
    throw takenError(workspace)
  return known
}

/** Below the root, with the folder above it made. */
async function pathFor(root: string, workspace: string): Promise<string> {
  const above = namesIn(workspace).slice(0, -1)
  if (above.length > 0) await makeFolderInside(root, above.join('/'), folderMode)
  return realPathInside(root, workspace)
}

/** A branch that is left of an earlier tree is taken up again, unless it is checked out elsewhere. */
async function addArguments(repository: Repository, top: string, { branch, base }: WorktreeRecord): Promise<string[]> {
  const add = ['worktree', 'add', '--quiet', '--no-checkout']
  const exists = (await repository.try(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).code === 0
  if (!exists) return [...add, '--no-track', '-b', branch, top, base]
  const elsewhere = (await listWorktrees(repository)).find((each) => each.branch === branch)
  if (elsewhere)
    throw new PathRefused(
      statusText('worktreeMoved', { folder: elsewhere.folder, branch, place: top, command: 'git worktree move' }),
    )
  return [...add, top, branch]
}

/** Nobody has worked in it yet: its files are written, and then it is ours. */
async function checkOut(repository: Repository, top: string, record: WorktreeRecord): Promise<void> {
  // As git has just written it there; of a tree that an agent had its hands on git is asked.
  const gitFolder = (await gitFolderNamedAt(top)) ?? (await gitFolderOf(repository, top))
  if (existsSync(join(gitFolder, 'locked'))) await repository.try(['worktree', 'unlock', top])
  if (!existsSync(join(gitFolder, 'index'))) {
    // Of one that was cut off.
    await rm(join(gitFolder, 'index.lock'), { force: true })
    await repository.run(['reset', '--quiet', '--hard'], { folder: top, timeoutMs: checkoutMs })
  }
  await writeWorktreeRecord(gitFolder, record)
}

export const gitFolderOf = async (repository: Repository, top: string): Promise<string> =>
  realpath((await repository.run(['rev-parse', '--absolute-git-dir'], { folder: top })).trim())

const takenError = (workspace: string): PathRefused => new PathRefused(statusText('workspaceTaken', { workspace }))
