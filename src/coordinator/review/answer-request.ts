/** Answers the server's requests about reviews on this machine (RV1, RV2). */
import { existsSync } from 'node:fs'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import type { ReviewedVersion, TreePair } from '../../protocol/review/review-requests.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import type { Workplace } from '../file-states/workplace.ts'
import type { WorktreeContext } from '../worktrees/answer-request.ts'
import { GitFailure } from '../worktrees/git.ts'
import { forkPointOf, readWorktreeRecord } from '../worktrees/repository.ts'
import { carryComment, ReadVersions } from './carry-comments.ts'
import { blobsIn, bytesOfBlob, changesOf } from './compare-trees.ts'
import { findLine } from './find-line.ts'

type ReviewRequest = Extract<CoordinatorRequest, { kind: `review-${string}` }>

export async function answerAboutReview(
  machine: WorktreeContext,
  ask: ReviewRequest,
): Promise<unknown> {
  const folder = ask.folders.find((each) => existsSync(each)) ?? ask.folders[0] ?? ''
  if (ask.kind === 'review-version') return readVersion(machine, folder, ask.blob)
  const to = ask.view.to ?? (await presentState(machine, ask))
  const answered = await machine.fileStates.at(folder, async (place) => {
    const trees = { from: await treeFrom(place, ask.view), to }
    switch (ask.kind) {
      case 'review-changes':
        return changesOf(place, trees, ask)
      case 'review-line':
        return findLine(place, trees, ask)
      case 'review-carry': {
        const versions = new ReadVersions(place)
        const { steps } = ask
        const items: unknown[] = []
        for (const comment of ask.comments)
          items.push(await carryComment(versions, comment, { steps, ...trees }))
        return { ...trees, items }
      }
      case 'review-versions':
        return { to, blobs: Object.fromEntries(await blobsIn(place, to, ask.paths)) }
    }
  })
  if (answered === null) throw gone()
  return answered
}

async function readVersion({ fileStates }: WorktreeContext, folder: string, blob: string) {
  const read = await fileStates.at(folder, async (place): Promise<ReviewedVersion> => {
    const bytes = await bytesOfBlob(place, blob)
    return { base64: bytes?.toString('base64') ?? null }
  })
  if (read === null) throw gone()
  return read
}

const gone = () => new GitFailure(-1, statusNotice('repositoryGone'))

/** Takes it, so that a view is never of a folder that changes meanwhile. */
async function presentState(
  { fileStates }: WorktreeContext,
  { folders: [folder = ''], key, view }: ReviewRequest,
): Promise<string> {
  const taken = existsSync(folder) ? await fileStates.take(folder, key) : null
  const tree = taken?.state.tree ?? view.newest
  if (tree === null) throw gone()
  return tree
}

async function treeFrom(place: Workplace, { from, first }: TreePair): Promise<string> {
  const { repository, facts } = place
  if (from !== 'fork' && from !== 'head') return from
  const isOwn = facts.gitFolder !== facts.commonFolder
  const record = isOwn ? readWorktreeRecord(facts.gitFolder) : undefined
  const fork = from === 'fork' && record ? await forkPointOf(repository, record) : undefined
  const commit = fork ?? facts.head
  if (from === 'fork' && fork === undefined && first !== null) return first
  return (await repository.run(['rev-parse', '--verify', `${commit}^{tree}`])).trim()
}
