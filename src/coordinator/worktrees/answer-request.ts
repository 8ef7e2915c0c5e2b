/**
 * Answers the server's requests about worktrees on this machine (WT2, WT3, WT6). Folders outside
 * the workspace root, links that leave it, and worktrees that Holdfast did not make are refused.
 */
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { isBelow } from '../../platform/files/path-inside.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  type CoordinatorAnswer,
  type CoordinatorRequest,
  maxFilesFound,
  type WorktreeFolder,
} from '../../protocol/processes/coordinator-requests.ts'
import { type Detail, DetailError, statusNotice } from '../../protocol/status-texts.ts'
import type { RemovalResult } from '../../protocol/worktrees/worktree.ts'
import { refused } from '../coordinator-requests.ts'
import { answerAboutFiles } from '../file-states/answer-request.ts'
import type { FileStates } from '../file-states/file-states.ts'
import { answerAboutLanding } from '../landing/answer-request.ts'
import type { StepMachine } from '../landing/run-step.ts'
import { answerAboutReview } from '../review/answer-request.ts'
import { commitAll } from './commit.ts'
import { diffOf, maxPatchBytes, patchOf } from './diff.ts'
import { type Git, GitFailure } from './git.ts'
import { inspectWorktrees, processesIn } from './inspect-worktrees.ts'
import { mergeWorktree } from './merge-worktree.ts'
import type { Occupancy } from './occupancy.ts'
import {
  inUse,
  lossesOf,
  notRemoved,
  removePlainFolder,
  removeWorktree,
} from './remove-worktree.ts'
import { type OurWorktree, openWorktree } from './repository.ts'
import { stateOf } from './worktree-state.ts'

// Finds files of a workplace by a part of their path. Walks folders breadth first, follows no
// links, and stops at its bounds.

const maxEntries = 20_000
const skipped = new Set([
  '.git',
  'node_modules',
  '.venv',
  '__pycache__',
  'target',
  'dist',
  '.next',
  '.cache',
])

/** Paths from the folder, those whose name begins with what is looked for first. */
async function findFiles(folder: string, q: string): Promise<string[]> {
  const wanted = q.toLowerCase()
  const found: string[] = []
  const folders = ['']
  let seen = 0
  for (let at = folders.shift(); at !== undefined && seen < maxEntries; at = folders.shift()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => [])
    seen += entries.length
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path)
      if (entry.isFile() && path.toLowerCase().includes(wanted)) found.push(path)
    }
  }
  const rank = (path: string): number => Number(!basename(path).toLowerCase().startsWith(wanted))
  return found
    .sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, maxFilesFound)
}

export interface WorktreeContext {
  readonly git: Git
  /** Contains every workspace, by project and user session. */
  readonly worktreesFolder: string
  readonly occupancy: Occupancy
  readonly fileStates: FileStates
  readonly clock: Clock
  /** What checks and pushes need besides; left out: neither is done here. */
  readonly landing?: Omit<StepMachine, 'git' | 'clock'> | undefined
}

class FolderRefused extends DetailError {
  readonly reason: 'gone' | 'not_ours'

  constructor(reason: 'gone' | 'not_ours', detail: Detail) {
    super(detail)
    this.reason = reason
  }
}

export async function answerRequest(
  machine: WorktreeContext,
  ask: CoordinatorRequest,
): Promise<CoordinatorAnswer> {
  try {
    return { ok: true, value: await valueFor(machine, ask) }
  } catch (error) {
    if (error instanceof FolderRefused) return refused(error.reason, error.detail)
    if (error instanceof GitFailure)
      return refused(error.code === 'needs_filter' ? 'needs_filter' : 'git_refused', error.detail)
    throw error
  }
}

async function valueFor(machine: WorktreeContext, ask: CoordinatorRequest): Promise<unknown> {
  switch (ask.kind) {
    case 'worktrees-look':
      return inspectWorktrees(machine, ask.places, (top) => openOurs(machine, top))
    case 'worktree-state':
      return stateOf(await openOurs(machine, ask.top))
    case 'worktree-diff': {
      const { bytes, cut, leftOut } = await diffOf(
        await openOurs(machine, ask.top),
        ask.path ?? undefined,
      )
      return { text: bytes.toString(), cut, leftOut }
    }
    case 'worktree-patch': {
      const { bytes, cut, leftOut } = await patchOf(await openOurs(machine, ask.top))
      return { base64: cut ? '' : bytes.toString('base64'), cut, leftOut, limit: maxPatchBytes }
    }
    case 'worktree-losses':
      return lossesOf(await openOurs(machine, ask.top))
    case 'worktree-commit':
      return inTurn(machine, ask.top, (worktree) => commitAll(worktree, ask.message))
    case 'worktree-merge':
      return inTurn(machine, ask.top, async (worktree) => {
        const { target, how, message, ofCaller = true } = ask
        const leftAlone = ofCaller ? null : await realpath(machine.worktreesFolder)
        return mergeWorktree(worktree, { target, how, message, leftAlone })
      })
    case 'folder-files':
      return findFiles(ask.folder, ask.q)
    case 'files-diff':
    case 'files-take':
    case 'files-restore':
    case 'files-fork':
    case 'files-keep':
      return answerAboutFiles(machine, ask)
    case 'review-changes':
    case 'review-line':
    case 'review-carry':
    case 'review-versions':
    case 'review-version':
      return answerAboutReview(machine, ask)
    case 'land-plan':
    case 'land-step':
    case 'land-undo':
      return answerAboutLanding(machine, ask, () => openOurs(machine, ask.top))
    case 'worktree-remove':
      return remove(machine, ask.place, ask.confirmed)
  }
}

async function openOurs(machine: WorktreeContext, top: string): Promise<OurWorktree> {
  await checkedRoot(machine, top)
  return openWorktree(machine.git, top)
}

const inTurn = <Result>(
  machine: WorktreeContext,
  top: string,
  work: (worktree: OurWorktree) => Promise<Result>,
): Promise<Result> =>
  machine.git.serialize(`tree ${top}`, async () => work(await openOurs(machine, top)))

async function remove(
  machine: WorktreeContext,
  { kind, top }: WorktreeFolder,
  confirmed: string | null,
): Promise<RemovalResult> {
  const { occupancy, git } = machine
  const root = await checkedRoot(machine, top)
  const removed = await occupancy.remove(root, top, () =>
    git.serialize(`tree ${top}`, async () => {
      const living = kind === 'plain' ? await processesIn(top) : []
      if (living.length > 0) return inUse(living)
      if (kind === 'plain') return removePlainFolder(root, top)
      return removeWorktree(await openWorktree(git, top), {
        root,
        processesIn,
        confirmed: confirmed ?? undefined,
      })
    }),
  )
  return removed === 'in_use' ? notRemoved('in_use', statusNotice('agentWorksThere')) : removed
}

/**
 * Checks by its real path that a folder is below the root of a user session, and returns that root.
 */
async function checkedRoot({ worktreesFolder }: WorktreeContext, top: string): Promise<string> {
  const found = await lstat(top).catch((error: NodeJS.ErrnoException) => error.code)
  if (found === 'ENOENT' || found === 'ENOTDIR')
    throw new FolderRefused('gone', statusNotice('folderNotThere', { folder: top }))
  const ours = await realpath(worktreesFolder).catch(() => worktreesFolder)
  const real = await realpath(top).catch(() => '')
  const [project, userSession, ...rest] = relative(ours, top).split(sep)
  if (real !== top || !isBelow(ours, top) || !project || !userSession || rest.length === 0)
    throw new FolderRefused('not_ours', statusNotice('notWhereWorkspaces', { folder: top }))
  return join(ours, project, userSession)
}
