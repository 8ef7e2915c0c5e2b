/**
 * Prepares the workspace of a role or conversation (WT1, WT4, WT5, CX9): finds or makes it below its root, reports it to the
 * server, and runs the project's set-up in a new worktree. A failed set-up fails the start.
 */
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import { makeFolderInside } from '../platform/path-inside.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'
import { statusText } from '../protocol/sentences.ts'
import type { AcpParticulars } from '../protocol/turns/link.ts'
import { maxSetUpOutput, type SetUp, type SetUpReport } from '../protocol/worktrees/worktree.ts'
import { setUpEnvironment } from './agent-environment.ts'
import { CannotStart, requireFolder } from './agent-process.ts'
import type { NewFact } from './spool.ts'
import type { Git } from './worktrees/git.ts'
import { gitFolderOf, makeWorkspace, type Workspace } from './worktrees/make-workspace.ts'
import type { Occupancy } from './worktrees/occupancy.ts'
import { openRepository, Repository } from './worktrees/repository.ts'
import { type CopyResult, copyIgnored, runSetUp, type SetUpResult } from './worktrees/set-up.ts'

/** Length of the set-up output in a failure message. */
const maxFailureOutputChars = 2000

export interface PrepareWorkspaceOptions {
  readonly particulars: LaunchParticulars
  readonly workspace: NonNullable<AcpParticulars['workspace']>
  readonly git: Git
  readonly worktreesFolder: string
  readonly occupancy: Occupancy
  /** The coordinator's environment. A set-up command inherits the same variables as an agent. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Owner of the launches; part of the launch mark. */
  readonly keeper: string
  readonly clock: Clock
  readonly report: (fact: Extract<NewFact, { type: 'workspace-made' }>) => void
  /** Receives the output of the set-up as it is printed. */
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

function rootFor(folder: string, projectId: string, userSessionShort: string): Promise<string> {
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
  const { git, env, keeper, clock, onOutput, onSetUp, signal, particulars } = options
  const repository = await openRepository(git, projectFolder)
  if (!(repository instanceof Repository)) return
  const doneFile = join(await gitFolderOf(repository, workspace.top), 'holdfast-set-up')
  if (existsSync(doneFile)) return
  const files = await copyIgnored(repository, workspace.top, setUp.copy)
  const [file, ...args] = setUp.command ?? []
  let result: SetUpResult | undefined
  if (file !== undefined) {
    onSetUp(true)
    const command = { argv: [file, ...args] as const, folder: workspace.folder, env: setUpEnvironment(env, particulars, keeper) }
    result = await runSetUp({ ...command, clock, onOutput, signal })
    onSetUp(false)
  }
  reportWorkspace(options, workspace, reportOf(files, result))
  if (result && result.outcome !== 'done') throw new CannotStart(setUpFailureText(file ?? '', result))
  await writeFile(doneFile, '')
}

const reportOf = (files: CopyResult, result: SetUpResult | undefined): SetUpReport => ({
  copied: [...files.copied],
  left: files.left.map(({ path, why }) => ({ path, why: why.slice(0, 1024) })),
  outcome: result?.outcome ?? null,
  exitCode: result?.exitCode ?? null,
  output: result?.output.slice(-maxSetUpOutput) ?? '',
})

function setUpFailureText(file: string, { outcome, exitCode, output }: SetUpResult): string {
  const how = {
    failed: exitCode === null ? statusText('setUpSignal', { file }) : statusText('setUpEnded', { file, code: exitCode }),
    timeout: statusText('setUpTooLong', { file }),
    stopped: statusText('setUpStopped', { file }),
    not_found: statusText('setUpNotRun', { file }),
    done: '',
  }[outcome]
  return `${how}\n${output.slice(-maxFailureOutputChars)}`.trim()
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
    note: isTree ? null : workspace.why,
    setUp,
  })
}
