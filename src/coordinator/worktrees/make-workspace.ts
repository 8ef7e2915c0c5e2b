/**
 * Makes the workspace of a role or conversation (WT1, WT4, CX9): a git worktree on its own branch,
 * or a plain directory without git. The same role gets the same workspace again. Never uses a
 * person's checkout, and never removes anything.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { commitOf } from '../../platform/files/git-refs.ts'
import {
  makeFolderInside,
  namesIn,
  PathRefused,
  realPathInside,
} from '../../platform/files/path-inside.ts'
import { textOf } from '../../platform/files/plain-file.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import { branchOf } from './branch-name.ts'
import { filteredAmong } from './commit.ts'
import type { NoRepository } from './find-repository.ts'
import { type Git, GitFailure } from './git.ts'
import { ownEntriesOf, placeIndex } from './look.ts'
import {
  listWorktrees,
  openRepository,
  Repository,
  readWorktreeRecord,
  type WorktreeRecord,
  writeWorktreeRecord,
} from './repository.ts'
import { copySparse, sparseSettings } from './sparse.ts'

/** AG2: accessible to the owner only. */
const folderMode = 0o700
/** Time limit for checking out a large repository. */
const checkoutMs = 600_000
/** Worktrees of one repository whose folders have the same name. */
const maxSameNames = 10_000

export interface WantedWorkspace {
  /** The project's folder on this machine, if it has one. */
  readonly projectFolder: string | null
  readonly root: string
  readonly workspace: string
  readonly userSessionShort: string
  readonly role: string
  /** Without git, use the project's own folder (CX9). */
  readonly orFolder?: boolean
  /** FS6: the commit and the files of a new worktree; left out: those of the project's checkout. */
  readonly files?: { readonly base: string; write(top: string): Promise<void> }
}

export type Workspace =
  | {
      readonly kind: 'worktree'
      /** Where the agent starts: the project folder's path within the worktree. */
      readonly folder: string
      readonly top: string
      readonly branch: string
      readonly base: string
      readonly baseBranch: string | null
      readonly reused: boolean
      /** What to tell of its files. */
      readonly note: Detail | null
    }
  | { readonly kind: 'plain'; readonly folder: string; readonly why: Detail }

/**
 * Rejects with PathRefused for a workspace outside its root or in use, and with GitFailure when git
 * fails.
 */
export async function makeWorkspace(git: Git, wanted: WantedWorkspace): Promise<Workspace> {
  const { projectFolder, root, workspace } = wanted
  const repository = projectFolder === null ? noFolder : await openRepository(git, projectFolder)
  if (repository instanceof Repository) return makeWorktree(repository, wanted)
  if (wanted.orFolder && projectFolder !== null)
    return { kind: 'plain', folder: projectFolder, why: repository.why }
  return {
    kind: 'plain',
    folder: await makeFolderInside(root, workspace, folderMode),
    why: repository.why,
  }
}

const noFolder: NoRepository = { why: statusNotice('noFolderHere') }

async function makeWorktree(repository: Repository, wanted: WantedWorkspace): Promise<Workspace> {
  const { root, workspace, userSessionShort, role, files } = wanted
  const { branch: baseBranch, prefix } = repository.facts
  const head = files?.base ?? repository.facts.head
  const top = await pathFor(root, workspace)
  const branch = branchOf(userSessionShort, role)
  const record: WorktreeRecord = { userSessionShort, role, branch, base: head, baseBranch }
  const registered = await repository.serialize(() =>
    registerWorktree(repository, top, record, workspace),
  )
  // Written outside the queue, because it takes long and conflicts with nothing.
  const note = registered ? null : await checkOut(repository, top, record, files)
  return {
    kind: 'worktree',
    // The project's folder may be untracked.
    folder: prefix === '' ? top : await makeFolderInside(top, prefix, folderMode),
    top,
    branch: registered?.branch ?? branch,
    base: registered?.base ?? head,
    baseBranch: registered ? registered.baseBranch : baseBranch,
    reused: registered !== undefined,
    note,
  }
}

/** Finds the worktree in the list or adds it. Undefined when its checkout is not complete. */
async function registerWorktree(
  repository: Repository,
  top: string,
  record: WorktreeRecord,
  workspace: string,
): Promise<WorktreeRecord | undefined> {
  const found = listWorktrees(repository).find(({ folder }) => folder === top)
  if (found && !existsSync(top))
    throw new PathRefused(
      statusNotice('worktreeGone', {
        folder: top,
        branch: record.branch,
        command: 'git worktree prune',
      }),
    )
  if (!found) {
    if (existsSync(top) && (await readdir(top)).length > 0) throw takenError(workspace)
    await makeBranch(repository, top, record)
    // Created first, because git would use the umask's permissions.
    await mkdir(top, { recursive: true, mode: folderMode })
    addWorktree(repository, top, record.branch)
    return undefined
  }
  const before = readWorktreeRecord(found.gitFolder)
  if (
    before
      ? before.userSessionShort !== record.userSessionShort || before.role !== record.role
      : found.branch !== record.branch
  )
    throw takenError(workspace)
  return before
}

async function pathFor(root: string, workspace: string): Promise<string> {
  const above = namesIn(workspace).slice(0, -1)
  if (above.length > 0) await makeFolderInside(root, above.join('/'), folderMode)
  return realPathInside(root, workspace)
}

/** Reuses the branch of an earlier worktree, unless it is checked out elsewhere. */
async function makeBranch(
  repository: Repository,
  top: string,
  { branch, base }: WorktreeRecord,
): Promise<void> {
  const { commonFolder } = repository.facts
  const ref = `refs/heads/${branch}`
  if (commitOf(commonFolder, ref) === undefined) {
    await repository.run([
      'update-ref',
      '-m',
      'branch: made by holdfast',
      ref,
      base,
      '0'.repeat(base.length),
    ])
    return
  }
  const elsewhere = listWorktrees(repository).find((each) => each.branch === branch)
  if (elsewhere)
    throw new PathRefused(
      statusNotice('worktreeMoved', {
        folder: elsewhere.folder,
        branch,
        place: top,
        command: 'git worktree move',
      }),
    )
}

/**
 * Writes the files by which git knows a worktree. It is locked until it is complete, so that nobody
 * prunes it.
 */
function addWorktree({ facts }: Repository, top: string, branch: string): void {
  const folder = join(facts.commonFolder, 'worktrees')
  mkdirSync(folder, { recursive: true })
  const own = newFolder(
    folder,
    basename(top)
      .replaceAll(/[^\w.-]+/g, '-')
      .replace(/^[-.]+/, '') || 'worktree',
  )
  const write = (name: string, text: string): void =>
    writeFileSync(join(own, name), `${text}\n`, { flag: 'wx' })
  write('locked', 'initializing')
  write('commondir', '../..')
  write('HEAD', `ref: refs/heads/${branch}`)
  write('gitdir', join(top, '.git'))
}

/** A name that no other worktree has. */
function newFolder(folder: string, name: string): string {
  for (let number = 0; ; number++) {
    const path = join(folder, number === 0 ? name : `${name}${number}`)
    try {
      mkdirSync(path)
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === maxSameNames) throw error
    }
  }
}

/** Also finishes one that was cut off. */
async function checkOut(
  repository: Repository,
  top: string,
  record: WorktreeRecord,
  files: WantedWorkspace['files'],
): Promise<Detail | null> {
  const own = listWorktrees(repository).find(({ folder }) => folder === top)?.gitFolder
  if (own === undefined) throw new GitFailure(-1, statusNotice('notOurWorktree', { folder: top }))
  if (!existsSync(join(top, '.git')))
    writeFileSync(join(top, '.git'), `gitdir: ${own}\n`, { flag: 'wx' })
  const index = join(own, 'index')
  if (!existsSync(index)) {
    // Left by an interrupted checkout.
    await rm(`${index}.lock`, { force: true })
    if (files) await files.write(top)
    else await writeFiles(repository, await openedAt(repository.git, top), index)
  }
  const note = files ? null : await unfilteredNote(await openedAt(repository.git, top))
  await writeWorktreeRecord(own, record)
  await rm(join(own, 'locked'), { force: true })
  return note
}

/** The files of HEAD, and then the index, which says that they are complete. No filter is run. */
async function writeFiles(from: Repository, worktree: Repository, index: string): Promise<void> {
  copySparse(from, worktree.facts.gitFolder)
  const sparse = sparseSettings(worktree, from.settings)
  await rm(`${worktree.indexFile}.lock`, { force: true })
  await worktree.run(['read-tree', '--reset', '-u', worktree.facts.head], {
    timeoutMs: checkoutMs,
    config: sparse,
  })
  await placeIndex(worktree.indexFile, index)
  // Ours leaves nothing away.
  if (Object.keys(sparse).length > 0) await rm(worktree.indexFile, { force: true })
}

export async function openedAt(git: Git, top: string): Promise<Repository> {
  const found = await openRepository(git, top)
  if (found instanceof Repository && found.facts.top === top) return found
  throw new GitFailure(
    -1,
    found instanceof Repository ? statusNotice('notOurWorktree', { folder: top }) : found.why,
  )
}

const maxAttributeBytes = 1024 * 1024

/** What to tell of files that a filter would have written. They are as they were committed. */
async function unfilteredNote(worktree: Repository): Promise<Detail | null> {
  const names = ownEntriesOf(worktree, worktree.indexFile).map(({ name }) => name)
  const rules = names.map(String).filter((name) => basename(name) === '.gitattributes')
  const hasFilter = (name: string): boolean =>
    /\sfilter=/.test(textOf(join(worktree.facts.top, name), maxAttributeBytes) ?? '')
  if (!rules.some(hasFilter)) return null
  const [file, ...more] = await filteredAmong(worktree, names)
  return file === undefined
    ? null
    : statusNotice('notFiltered', { file, more: more.length, command: 'git lfs pull' })
}

const takenError = (workspace: string): PathRefused =>
  new PathRefused(statusNotice('workspaceTaken', { workspace }))
