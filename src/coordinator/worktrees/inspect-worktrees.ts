/**
 * Inspects worktrees for disk use and whether they can be removed (WT6), each by itself, so that
 * one failure hides no other.
 */
import { lstat, opendir, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isBelow } from '../../platform/files/path-inside.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { WorktreeFolder } from '../../protocol/processes/coordinator-requests.ts'
import { detailFields, detailOf, statusNotice } from '../../protocol/status-texts.ts'
import type { Losses, LossSummary, WorktreeInspection } from '../../protocol/worktrees/worktree.ts'
import { uncommittedIn } from './look.ts'
import type { Occupancy } from './occupancy.ts'
import { lossesOf } from './remove-worktree.ts'
import type { OurWorktree } from './repository.ts'
import { stateOf } from './worktree-state.ts'

export type CurrentFolders = ReadonlyMap<number, string>

async function currentFolders(): Promise<CurrentFolders> {
  if (process.platform !== 'linux') return new Map()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(
      async (pid) => [pid, await readlink(`/proc/${pid}/cwd`).catch(() => undefined)] as const,
    ),
  )
  return new Map(
    found.flatMap(([pid, folder]) => (folder === undefined ? [] : [[pid, folder] as const])),
  )
}

export async function processesIn(folder: string, processes?: CurrentFolders): Promise<number[]> {
  const all = [...(processes ?? (await currentFolders()))]
  return all
    .filter(([, current]) => current === folder || isBelow(folder, current))
    .map(([pid]) => pid)
}

const maxFiles = 500_000
const maxMs = 10_000
/** Unit of `stat` blocks, independent of the disk. */
const blockBytes = 512

/**
 * Measures the disk use of a folder (WT6), limited in time and files. `complete: false` marks a
 * lower bound.
 */
export async function diskUseOf(folder: string, clock: Clock): Promise<WorktreeInspection['disk']> {
  const until = clock.now() + maxMs
  const waiting = [folder]
  let [bytes, files] = [0, 0]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await opendir(next).catch(() => undefined)
    if (!entries) continue
    for await (const entry of entries) {
      if (++files > maxFiles || clock.now() > until) return { bytes, files, complete: false }
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      const found = await lstat(path).catch(() => undefined)
      bytes += (found?.blocks ?? 0) * blockBytes
    }
  }
  return { bytes, files, complete: true }
}

const concurrency = 4
/** Losses listed by name; the rest is counted. */
const maxNamedLosses = 8

interface InspectionOptions {
  readonly occupancy: Occupancy
  readonly clock: Clock
}

type Open = (top: string) => Promise<OurWorktree>

const nothing: Omit<WorktreeInspection, 'canGo' | 'why'> = {
  disk: { bytes: 0, files: 0, complete: true },
  ahead: null,
  behind: null,
  fileCount: 0,
  uncommitted: 0,
}

export async function inspectWorktrees(
  options: InspectionOptions,
  folders: readonly WorktreeFolder[],
  open: Open,
): Promise<WorktreeInspection[]> {
  const processes = await currentFolders()
  const inspections: WorktreeInspection[] = []
  for (let at = 0; at < folders.length; at += concurrency)
    inspections.push(
      ...(await Promise.all(
        folders
          .slice(at, at + concurrency)
          .map((folder) => inspectWorktree(options, processes, folder, open)),
      )),
    )
  return inspections
}

async function inspectWorktree(
  { occupancy, clock }: InspectionOptions,
  processes: CurrentFolders,
  { kind, top }: WorktreeFolder,
  open: Open,
): Promise<WorktreeInspection> {
  try {
    const worktree = kind === 'plain' ? undefined : await open(top)
    const disk = await diskUseOf(top, clock)
    const isUsed = occupancy.isOccupied(top) || (await processesIn(top, processes)).length > 0
    if (!worktree) {
      const isEmpty = disk.files === 0
      const why = isEmpty ? null : statusNotice('plainNotEmpty')
      const whenFree = isEmpty ? 'yes' : 'refused'
      return {
        ...nothing,
        disk,
        canGo: isUsed ? 'in_use' : whenFree,
        ...detailFields('why', why),
      }
    }
    const pending = await uncommittedIn(worktree.repository)
    const [{ ahead, behind, fileCount, uncommitted }, losses] = await Promise.all([
      stateOf(worktree, pending),
      lossesOf(worktree, pending),
    ])
    const losesNothing =
      losses.files.length + losses.commits.length + losses.unfinished.length === 0
    const whenFree = losesNothing ? 'yes' : 'would_lose'
    return {
      disk,
      ahead,
      behind,
      fileCount,
      uncommitted,
      canGo: isUsed ? 'in_use' : whenFree,
      ...detailFields('why', isUsed ? statusNotice('somebodyWorks') : null),
      losses: isUsed || losesNothing ? null : summaryOf(losses),
    }
  } catch (error) {
    const isGone = error instanceof Error && 'reason' in error && error.reason === 'gone'
    return {
      ...nothing,
      canGo: isGone ? 'gone' : 'refused',
      ...detailFields('why', detailOf(error)),
    }
  }
}

const summaryOf = ({ files, commits, unfinished, digest }: Losses): LossSummary => ({
  fileCount: files.length,
  files: files.slice(0, maxNamedLosses).map(({ path }) => path),
  commitCount: commits.length,
  commits: commits.slice(0, maxNamedLosses).map(({ subject }) => subject),
  unfinished,
  digest,
})
