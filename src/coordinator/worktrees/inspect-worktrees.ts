/** What worktrees take and which of them can go (WT6): a few at a time, each by itself, so that one that cannot be looked at hides no other. */
import type { Clock } from '../../platform/clock.ts'
import type { Place } from '../../protocol/processes/coordinator-requests.ts'
import { statusText } from '../../protocol/sentences.ts'
import type { LossSummary, WorktreeLook } from '../../protocol/worktrees/worktree.ts'
import { diskUseOf } from './disk-use.ts'
import { type CurrentFolders, currentFolders, livingIn } from './living-in.ts'
import type { Occupancy } from './occupancy.ts'
import type { OurWorktree } from './open-worktree.ts'
import { type Losses, lossesOf } from './remove-worktree.ts'
import { stateOf, uncommittedIn } from './worktree-state.ts'

const lookedAtTogether = 4
/** Of what would be lost; the rest is counted. */
const mostNamed = 8

interface InspectionOptions {
  readonly occupancy: Occupancy
  readonly clock: Clock
}

type Open = (top: string) => Promise<OurWorktree>

const nothing: Omit<WorktreeLook, 'canGo' | 'why'> = {
  disk: { bytes: 0, files: 0, complete: true },
  ahead: null,
  behind: null,
  fileCount: 0,
  uncommitted: 0,
}

/** In the order in which they were named. */
export async function inspectWorktrees(
  lookout: InspectionOptions,
  places: readonly Place[],
  open: Open,
): Promise<WorktreeLook[]> {
  const processes = await currentFolders()
  const looks: WorktreeLook[] = []
  for (let at = 0; at < places.length; at += lookedAtTogether)
    looks.push(
      ...(await Promise.all(
        places.slice(at, at + lookedAtTogether).map((place) => inspectWorktree(lookout, processes, place, open)),
      )),
    )
  return looks
}

async function inspectWorktree(
  { occupancy, clock }: InspectionOptions,
  processes: CurrentFolders,
  { kind, top }: Place,
  open: Open,
): Promise<WorktreeLook> {
  try {
    const worktree = kind === 'plain' ? undefined : await open(top)
    const disk = await diskUseOf(top, clock)
    const isUsed = occupancy.isOccupied(top) || (await livingIn(top, processes)).length > 0
    if (!worktree) {
      const isEmpty = disk.files === 0
      const why = isEmpty ? null : 'A plain directory that is not empty; what is in it is nowhere else.'
      return { ...nothing, disk, canGo: isUsed ? 'in_use' : isEmpty ? 'yes' : 'refused', why }
    }
    const pending = await uncommittedIn(worktree)
    const [{ ahead, behind, fileCount, uncommitted }, losses] = await Promise.all([
      stateOf(worktree, pending),
      lossesOf(worktree, pending),
    ])
    const losesNothing = losses.files.length + losses.commits.length + losses.unfinished.length === 0
    return {
      disk,
      ahead,
      behind,
      fileCount,
      uncommitted,
      canGo: isUsed ? 'in_use' : losesNothing ? 'yes' : 'would_lose',
      why: isUsed ? statusText('somebodyWorks') : null,
      losses: isUsed || losesNothing ? null : inShort(losses),
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isGone = error instanceof Error && 'reason' in error && error.reason === 'gone'
    return { ...nothing, canGo: isGone ? 'gone' : 'refused', why }
  }
}

const inShort = ({ files, commits, unfinished, digest }: Losses): LossSummary => ({
  fileCount: files.length,
  files: files.slice(0, mostNamed).map(({ path }) => path),
  commitCount: commits.length,
  commits: commits.slice(0, mostNamed).map(({ subject }) => subject),
  unfinished: [...unfinished],
  digest,
})
