/**
 * Prepares the workspace of a role or conversation (WT1, WT4, WT5, CX9): finds or makes it below
 * its root, reports it to the server, and runs the project's set-up in a new worktree. A failed
 * set-up fails the start.
 */
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolderInside } from '../../platform/files/path-inside.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import { cutDetail, detailFields, statusNotice } from '../../protocol/status-texts.ts'
import type { AcpParticulars } from '../../protocol/turns/link.ts'
import { maxSetUpOutput, type SetUp, type SetUpReport } from '../../protocol/worktrees/worktree.ts'
import { setUpEnvironment } from '../agent-environment.ts'
import { CannotStart, requireFolder } from '../agent-process.ts'
import type { NewFact } from '../spool.ts'
import type { Git } from './git.ts'
import { type KeptFilesReader, keptFiles } from './kept-files.ts'
import { makeWorkspace, openedAt, type Workspace } from './make-workspace.ts'
import { isNamedFolder, namedFolder } from './named-folder.ts'
import type { Occupancy } from './occupancy.ts'
import { openRepository, Repository } from './repository.ts'
import { type CopyResult, copyIgnored, runSetUp, type SetUpResult, setUpFailure } from './set-up.ts'

export interface PrepareWorkspaceOptions extends KeptFilesReader {
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
  const { userSessionShort, role, setUp, orFolder = false, roots = [] } = wanted
  requireFolder(projectFolder)
  const root = await rootFor(worktreesFolder, projectId, userSessionShort)
  const make = async (): Promise<Workspace> => {
    const data = dirname(worktreesFolder)
    const named = isNamedFolder(wanted.path)
      ? await namedFolder({ path: wanted.path, root, projectFolder, roots, data })
      : undefined
    if (named && 'folder' in named)
      return { kind: 'plain', folder: named.folder, why: statusNotice('folderNamed') }
    const workspace = named?.below ?? wanted.path ?? role
    const files = await keptFiles(options, wanted.from, projectFolder)
    const names = { root, workspace, userSessionShort, role }
    return makeWorkspace(git, { projectFolder, ...names, orFolder, ...(files && { files }) })
  }
  const workspace = await occupancy.enter(launchId, root, make, (made) =>
    made.kind === 'worktree' ? made.top : made.folder,
  )
  reportWorkspace(options, workspace, null)
  const isWanted = !options.signal.aborted
  if (isWanted && workspace.kind === 'worktree' && setUp && projectFolder !== null)
    await setUpWorktree(options, workspace, setUp, projectFolder)
  return workspace
}

export function rootFor(
  folder: string,
  projectId: string,
  userSessionShort: string,
): Promise<string> {
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
  const worktree = await openedAt(git, workspace.top)
  const doneFile = join(worktree.facts.gitFolder, 'holdfast-set-up')
  if (existsSync(doneFile)) return
  const files = await copyIgnored(repository.facts.top, worktree, setUp.copy)
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
    ...detailFields('note', isTree ? workspace.note : workspace.why),
    setUp,
  })
}
