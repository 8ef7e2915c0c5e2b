/**
 * The place of an agent in a role or of a conversation, made and told (WT1, WT4, WT5, CX9): found or made below its root, put into the server's register, and,
 * where it is a fresh worktree, made runnable as the project's owner has said. A set-up that fails fails the start, with what it printed.
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
import { CannotStart, mustBeFolder } from './agent-process.ts'
import type { NewFact } from './spool.ts'
import type { Git } from './worktrees/git.ts'
import { gitFolderOf, makeWorkspace, type Workspace } from './worktrees/make-workspace.ts'
import type { Occupancy } from './worktrees/occupancy.ts'
import { lookAtRepository, Repository } from './worktrees/repository.ts'
import { type CopyResult, copyIgnored, runSetUp, type SetUpResult } from './worktrees/set-up.ts'

/** Of what a set-up printed, in the words of the failure. */
const lastWordsChars = 2000

export interface WorkplaceOptions {
  readonly particulars: LaunchParticulars
  readonly workspace: NonNullable<AcpParticulars['workspace']>
  readonly git: Git
  readonly worktreesFolder: string
  readonly occupancy: Occupancy
  /** Ours, of which a set-up command gets what an agent gets. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whose launches they are; part of their mark. */
  readonly keeper: string
  readonly clock: Clock
  readonly tell: (fact: Extract<NewFact, { type: 'workspace-made' }>) => void
  /** What a set-up prints, as it comes. */
  readonly onOutput: (text: string) => void
  /** It takes as long as it takes: the time for a start begins behind it. */
  readonly onSetUp: (isRunning: boolean) => void
  /** The agent is not wanted any more. */
  readonly signal: AbortSignal
}

export async function makeWorkplace(parts: WorkplaceOptions): Promise<Workspace> {
  const { particulars, workspace, git, worktreesFolder, occupancy } = parts
  const { folder: projectFolder, projectId, launchId } = particulars
  const { userSessionShort, role, path, setUp, orFolder = false } = workspace
  mustBeFolder(projectFolder)
  const root = await rootFor(worktreesFolder, projectId, userSessionShort)
  const wanted = { projectFolder, root, workspace: path ?? role, userSessionShort, role, orFolder }
  const place = await occupancy.arrive(
    launchId,
    root,
    () => makeWorkspace(git, wanted),
    (made) => (made.kind === 'worktree' ? made.top : made.folder),
  )
  tellMade(parts, place, null)
  const isWanted = !parts.signal.aborted
  if (isWanted && place.kind === 'worktree' && setUp && projectFolder !== null)
    await makeRunnable(parts, place, setUp, projectFolder)
  return place
}

function rootFor(folder: string, projectId: string, userSessionShort: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Earlier builds let the group in.
  chmodSync(folder, 0o700)
  return makeFolderInside(folder, `${projectId}/${userSessionShort}`, 0o700)
}

type Tree = Extract<Workspace, { kind: 'worktree' }>

async function makeRunnable(parts: WorkplaceOptions, place: Tree, setUp: SetUp, projectFolder: string): Promise<void> {
  const { git, env, keeper, clock, onOutput, onSetUp, signal, particulars } = parts
  const repository = await lookAtRepository(git, projectFolder)
  if (!(repository instanceof Repository)) return
  const mark = join(await gitFolderOf(repository, place.top), 'holdfast-set-up')
  if (existsSync(mark)) return
  const files = await copyIgnored(repository, place.top, setUp.copy)
  const [file, ...args] = setUp.command ?? []
  let result: SetUpResult | undefined
  if (file !== undefined) {
    onSetUp(true)
    const command = { argv: [file, ...args] as const, folder: place.folder, env: setUpEnvironment(env, particulars, keeper) }
    result = await runSetUp({ ...command, clock, onOutput, signal })
    onSetUp(false)
  }
  tellMade(parts, place, reportOf(files, result))
  if (result && result.outcome !== 'done') throw new CannotStart(inWords(file ?? '', result))
  await writeFile(mark, '')
}

const reportOf = (files: CopyResult, result: SetUpResult | undefined): SetUpReport => ({
  copied: [...files.copied],
  left: files.left.map(({ path, why }) => ({ path, why: why.slice(0, 1024) })),
  outcome: result?.outcome ?? null,
  exitCode: result?.exitCode ?? null,
  output: result?.output.slice(-maxSetUpOutput) ?? '',
})

function inWords(file: string, { outcome, exitCode, output }: SetUpResult): string {
  const how = {
    failed: exitCode === null ? statusText('setUpSignal', { file }) : statusText('setUpEnded', { file, code: exitCode }),
    timeout: statusText('setUpTooLong', { file }),
    stopped: statusText('setUpStopped', { file }),
    not_found: statusText('setUpNotRun', { file }),
    done: '',
  }[outcome]
  return `${how}\n${output.slice(-lastWordsChars)}`.trim()
}

function tellMade({ tell, particulars }: WorkplaceOptions, place: Workspace, setUp: SetUpReport | null): void {
  const { launchId } = particulars
  const isTree = place.kind === 'worktree'
  tell({
    type: 'workspace-made',
    launchId,
    kind: place.kind,
    folder: place.folder,
    top: isTree ? place.top : place.folder,
    branch: isTree ? place.branch : null,
    baseBranch: isTree ? place.baseBranch : null,
    note: isTree ? null : place.why,
    setUp,
  })
}
