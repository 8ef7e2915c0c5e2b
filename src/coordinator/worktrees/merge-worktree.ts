/**
 * Merges or rebases a worktree's work into a branch of the person (WT6). The result is computed
 * apart from both sides, on objects alone, so a conflict changes nothing. The branch moves only if
 * it has not changed meanwhile. A checked-out branch is moved in its checkout if that is clean
 * (move-checkout.ts); otherwise the person gets a command to run.
 */
import { isBelow } from '../../platform/files/path-inside.ts'
import { type Detail, detailFields, statusNotice } from '../../protocol/status-texts.ts'
import type { MergeRefusal, MergeResult } from '../../protocol/worktrees/worktree.ts'
import { combine, isBehind } from './combine.ts'
import { isWork, uncommittedIn } from './look.ts'
import { moveBranch, tipOf } from './move-checkout.ts'
import { listWorktrees, type OurWorktree } from './repository.ts'
import { mergeCommand } from './worktree-state.ts'

const maxConflictFiles = 500

export interface MergeOptions {
  readonly target: string
  readonly how: 'merge' | 'rebase'
  readonly message: string
  /** Worktrees below this folder are other people's. */
  readonly leftAlone?: string | null
}

export async function mergeWorktree(
  worktree: OurWorktree,
  { target, how, message, leftAlone = null }: MergeOptions,
): Promise<MergeResult> {
  const { repository, record } = worktree
  const command = mergeCommand(record.branch, target, how)
  const commandFor = (reason: MergeRefusal): string | null =>
    reason === 'target_in_use' || reason === 'needs_filter' ? command : null
  const refuse = (reason: MergeRefusal, why: Detail): MergeResult => ({
    outcome: 'refused',
    reason,
    ...detailFields('why', why),
    command: commandFor(reason),
  })
  const uncommitted = (await uncommittedIn(repository)).filter(isWork)
  if (uncommitted.length > 0)
    return refuse('uncommitted', statusNotice('uncommittedFiles', { count: uncommitted.length }))
  const held = listWorktrees(repository).find(({ branch }) => branch === target)
  if (leftAlone !== null && held && isBelow(leftAlone, held.folder))
    return refuse('no_branch', statusNotice('branchOfOther', { branch: target }))
  const ours = repository.facts.head
  const theirs = await tipOf(repository, target)
  if (theirs === undefined) return refuse('no_branch', statusNotice('noBranch', { branch: target }))
  if (await isBehind(repository, ours, theirs)) return { outcome: 'nothing_new', commit: theirs }
  const result = (await isBehind(repository, theirs, ours))
    ? { commit: ours }
    : await combine(repository, how, { theirs, ours, message })
  if ('files' in result)
    return { outcome: 'conflicts', files: result.files.slice(0, maxConflictFiles), command }
  const moved = await moveBranch(repository, { target, from: theirs, to: result.commit })
  return moved.outcome === 'refused' ? { ...moved, command: commandFor(moved.reason) } : moved
}
