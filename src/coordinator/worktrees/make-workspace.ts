/**
 * Makes the workspace of a role or conversation (WT1, WT4, CX9): a git worktree on its own branch, or a plain directory without
 * git. The same role gets the same workspace again. Never uses a person's checkout, and never removes anything.
 */
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolderInside, namesIn, PathRefused, realPathInside } from '../../platform/files/path-inside.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import { cutDetail, type Detail, detailFields, statusNotice, withOutput } from '../../protocol/status-texts.ts'
import type { AcpParticulars } from '../../protocol/turns/link.ts'
import { maxSetUpOutput, type SetUp, type SetUpReport } from '../../protocol/worktrees/worktree.ts'
import { CannotStart, requireFolder, setUpEnvironment } from '../agent-process.ts'
import type { NewFact } from '../spool.ts'
import type { Git } from './git.ts'
import type { Occupancy } from './occupancy.ts'
import {
  branchOf,
  gitFolderNamedAt,
  listWorktrees,
  type NoRepository,
  openRepository,
  Repository,
  readWorktreeRecord,
  type WorktreeRecord,
  writeWorktreeRecord,
} from './repository.ts'
import { type CopyResult, copyIgnored, runSetUp, type SetUpResult } from './set-up.ts'

/** AG2: accessible to the owner only. */
const folderMode = 0o700
/** Time limit for checking out a large repository. */
const checkoutMs = 600_000

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
    }
  | { readonly kind: 'plain'; readonly folder: string; readonly why: Detail }

/** Rejects with PathRefused for a workspace outside its root or in use, and with GitFailure when git fails. */
export async function makeWorkspace(git: Git, wanted: WantedWorkspace): Promise<Workspace> {
  const { projectFolder, root, workspace } = wanted
  const repository = projectFolder === null ? noFolder : await openRepository(git, projectFolder)
  if (repository instanceof Repository) return makeWorktree(repository, wanted)
  if (wanted.orFolder && projectFolder !== null) return { kind: 'plain', folder: projectFolder, why: repository.why }
  return { kind: 'plain', folder: await makeFolderInside(root, workspace, folderMode), why: repository.why }
}

const noFolder: NoRepository = { why: statusNotice('noFolderHere') }

async function makeWorktree(repository: Repository, wanted: WantedWorkspace): Promise<Workspace> {
  const { root, workspace, userSessionShort, role, files } = wanted
  const { branch: baseBranch, prefix } = repository.facts
  const head = files?.base ?? repository.facts.head
  const top = await pathFor(root, workspace)
  const branch = branchOf(userSessionShort, role)
  const record: WorktreeRecord = { userSessionShort, role, branch, base: head, baseBranch }
  const known = await repository.serialize(() => registerWorktree(repository, top, record, workspace))
  // Written outside the queue, because it takes long and conflicts with nothing.
  if (!known) await checkOut(repository, top, record, files)
  return {
    kind: 'worktree',
    // The project's folder may be untracked.
    folder: prefix === '' ? top : await makeFolderInside(top, prefix, folderMode),
    top,
    branch: known?.branch ?? branch,
    base: known?.base ?? head,
    baseBranch: known ? known.baseBranch : baseBranch,
    reused: known !== undefined,
  }
}

/** Finds the worktree in git's list or adds it. Undefined when its checkout is not complete. */
async function registerWorktree(
  repository: Repository,
  top: string,
  record: WorktreeRecord,
  workspace: string,
): Promise<WorktreeRecord | undefined> {
  const found = (await listWorktrees(repository)).find(({ folder }) => folder === top)
  if (found && !existsSync(top))
    throw new PathRefused(statusNotice('worktreeGone', { folder: top, branch: record.branch, command: 'git worktree prune' }))
  if (!found) {
    if (existsSync(top) && (await readdir(top)).length > 0) throw takenError(workspace)
    const add = await addArguments(repository, top, record)
    // Created first, because git would use the umask's permissions.
    await mkdir(top, { recursive: true, mode: folderMode })
    await repository.run(add)
    return undefined
  }
  const known = await readWorktreeRecord(await gitFolderOf(repository, top))
  if (known ? known.userSessionShort !== record.userSessionShort || known.role !== record.role : found.branch !== record.branch)
    throw takenError(workspace)
  return known
}

async function pathFor(root: string, workspace: string): Promise<string> {
  const above = namesIn(workspace).slice(0, -1)
  if (above.length > 0) await makeFolderInside(root, above.join('/'), folderMode)
  return realPathInside(root, workspace)
}

/** Reuses the branch of an earlier worktree, unless it is checked out elsewhere. */
async function addArguments(repository: Repository, top: string, { branch, base }: WorktreeRecord): Promise<string[]> {
  const add = ['worktree', 'add', '--quiet', '--no-checkout']
  const exists = (await repository.try(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).code === 0
  if (!exists) return [...add, '--no-track', '-b', branch, top, base]
  const elsewhere = (await listWorktrees(repository)).find((each) => each.branch === branch)
  if (elsewhere)
    throw new PathRefused(
      statusNotice('worktreeMoved', { folder: elsewhere.folder, branch, place: top, command: 'git worktree move' }),
    )
  return [...add, top, branch]
}

async function checkOut(
  repository: Repository,
  top: string,
  record: WorktreeRecord,
  files: WantedWorkspace['files'],
): Promise<void> {
  // Read from `.git`, which only git has written yet. Otherwise git is asked.
  const gitFolder = (await gitFolderNamedAt(top)) ?? (await gitFolderOf(repository, top))
  if (existsSync(join(gitFolder, 'locked'))) await repository.try(['worktree', 'unlock', top])
  if (!existsSync(join(gitFolder, 'index'))) {
    // Left by an interrupted checkout.
    await rm(join(gitFolder, 'index.lock'), { force: true })
    if (files) await files.write(top)
    else await repository.run(['reset', '--quiet', '--hard'], { folder: top, timeoutMs: checkoutMs })
  }
  await writeWorktreeRecord(gitFolder, record)
}

const gitFolderOf = async (repository: Repository, top: string): Promise<string> =>
  realpath((await repository.run(['rev-parse', '--absolute-git-dir'], { folder: top })).trim())

const takenError = (workspace: string): PathRefused => new PathRefused(statusNotice('workspaceTaken', { workspace }))

/** Length of the set-up output in a failure message. */
const maxFailureOutputChars = 2000

/**
 * Prepares the workspace of a role or conversation (WT1, WT4, WT5, CX9): finds or makes it below its root, reports it to the
 * server, and runs the project's set-up in a new worktree. A failed set-up fails the start.
 */
export interface PrepareWorkspaceOptions {
  readonly particulars: LaunchParticulars
  readonly workspace: NonNullable<AcpParticulars['workspace']>
  readonly git: Git
  readonly worktreesFolder: string
  readonly occupancy: Occupancy
  /** The coordinator's environment. A set-up command inherits the same variables as an agent. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Owner of the launches; part of the launch mark. */
  readonly folderId: string
  readonly clock: Clock
  readonly report: (fact: Extract<NewFact, { type: 'workspace-made' }>) => void
  readonly onOutput: (text: string) => void
  /** Called when the set-up starts and ends. The start timeout does not include it. */
  readonly onSetUp: (isRunning: boolean) => void
  /** Aborted when the agent is no longer wanted. */
  readonly signal: AbortSignal
}

export async function prepareWorkspace(options: PrepareWorkspaceOptions): Promise<Workspace> {
  const { particulars, workspace: wanted, git, worktreesFolder, occupancy } = options
  const { folder: projectFolder, projectId, launchId } = particulars
  const { userSessionShort, role, path, setUp, orFolder = false } = wanted
  requireFolder(projectFolder)
  const root = await rootFor(worktreesFolder, projectId, userSessionShort)
  const request = { projectFolder, root, workspace: path ?? role, userSessionShort, role, orFolder }
  const workspace = await occupancy.enter(
    launchId,
    root,
    () => makeWorkspace(git, request),
    (made) => (made.kind === 'worktree' ? made.top : made.folder),
  )
  reportWorkspace(options, workspace, null)
  const isWanted = !options.signal.aborted
  if (isWanted && workspace.kind === 'worktree' && setUp && projectFolder !== null)
    await setUpWorktree(options, workspace, setUp, projectFolder)
  return workspace
}

export function rootFor(folder: string, projectId: string, userSessionShort: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Earlier builds created it with group access.
  chmodSync(folder, 0o700)
  return makeFolderInside(folder, `${projectId}/${userSessionShort}`, 0o700)
}

type WorktreeWorkspace = Extract<Workspace, { kind: 'worktree' }>

async function setUpWorktree(
  options: PrepareWorkspaceOptions,
  workspace: WorktreeWorkspace,
  setUp: SetUp,
  projectFolder: string,
): Promise<void> {
  const { git, env, folderId, clock, onOutput, onSetUp, signal, particulars } = options
  const repository = await openRepository(git, projectFolder)
  if (!(repository instanceof Repository)) return
  const doneFile = join(await gitFolderOf(repository, workspace.top), 'holdfast-set-up')
  if (existsSync(doneFile)) return
  const files = await copyIgnored(repository, workspace.top, setUp.copy)
  const [file, ...args] = setUp.command ?? []
  let result: SetUpResult | undefined
  if (file !== undefined) {
    onSetUp(true)
    const command = {
      argv: [file, ...args] as const,
      folder: workspace.folder,
      env: setUpEnvironment(env, particulars, folderId),
    }
    result = await runSetUp({ ...command, clock, onOutput, signal })
    onSetUp(false)
  }
  reportWorkspace(options, workspace, reportOf(files, result))
  if (result && result.outcome !== 'done') throw new CannotStart(setUpFailure(file ?? '', result))
  await writeFile(doneFile, '')
}

const reportOf = (files: CopyResult, result: SetUpResult | undefined): SetUpReport => ({
  copied: [...files.copied],
  left: files.left.map(({ path, why }) => ({ path, ...detailFields('why', cutDetail(why, 1024)) })),
  outcome: result?.outcome ?? null,
  exitCode: result?.exitCode ?? null,
  output: result?.output.slice(-maxSetUpOutput) ?? '',
})

function setUpFailure(file: string, { outcome, exitCode, output }: SetUpResult): Detail {
  const how = {
    failed: exitCode === null ? statusNotice('setUpSignal', { file }) : statusNotice('setUpEnded', { file, code: exitCode }),
    timeout: statusNotice('setUpTooLong', { file }),
    stopped: statusNotice('setUpStopped', { file }),
    not_found: statusNotice('setUpNotRun', { file }),
    done: '',
  }[outcome]
  return withOutput(how, output.slice(-maxFailureOutputChars).trimEnd())
}

function reportWorkspace(
  { report, particulars }: PrepareWorkspaceOptions,
  workspace: Workspace,
  setUp: SetUpReport | null,
): void {
  const { launchId } = particulars
  const isTree = workspace.kind === 'worktree'
  report({
    type: 'workspace-made',
    launchId,
    kind: workspace.kind,
    folder: workspace.folder,
    top: isTree ? workspace.top : workspace.folder,
    branch: isTree ? workspace.branch : null,
    baseBranch: isTree ? workspace.baseBranch : null,
    ...detailFields('note', isTree ? null : workspace.why),
    setUp,
  })
}
