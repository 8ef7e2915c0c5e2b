/**
 * Merges or rebases a worktree's work into a branch of the person (WT6). The result is computed apart from both sides, so a
 * conflict changes nothing. The branch moves only if it has not changed meanwhile. A checked-out branch is moved in its checkout
 * if that is clean; otherwise the person gets a command to run.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Detail, DetailError, detailFields, statusNotice } from '../../protocol/status-texts.ts'
import type { MergeRefusal, MergeResult } from '../../protocol/worktrees/worktree.ts'
import { listWorktrees, type OurWorktree, type Repository } from './repository.ts'
import { displayName, mergeCommand, safeDiffOptions, splitNul, uncommittedIn } from './worktree-state.ts'

const maxConflictFiles = 500

export interface MergeOptions {
  readonly target: string
  readonly how: 'merge' | 'rebase'
  readonly message: string
  readonly scratch: string
}

export async function mergeWorktree(
  worktree: OurWorktree,
  { target, how, message, scratch }: MergeOptions,
): Promise<MergeResult> {
  const { repository, record } = worktree
  const command = mergeCommand(record.branch, target, how)
  const refuse = (reason: MergeRefusal, why: Detail): MergeResult => ({
    outcome: 'refused',
    reason,
    ...detailFields('why', why),
    command: reason === 'target_in_use' ? command : null,
  })
  const uncommitted = await uncommittedIn(worktree)
  if (uncommitted.length > 0) return refuse('uncommitted', statusNotice('uncommittedFiles', { count: uncommitted.length }))
  const ours = repository.facts.head
  const theirs = await tipOf(repository, target)
  if (theirs === undefined) return refuse('no_branch', statusNotice('noBranch', { branch: target }))
  if ((await repository.try(['merge-base', '--is-ancestor', ours, theirs])).code === 0)
    return { outcome: 'nothing_new', commit: theirs }
  const result =
    how === 'merge' ? await merged(repository, theirs, ours, message) : await rebased(repository, theirs, ours, scratch)
  if ('files' in result) return { outcome: 'conflicts', files: result.files.slice(0, maxConflictFiles), command }
  return move(repository, target, theirs, result.commit, refuse)
}

type MergedCommit = { readonly commit: string } | { readonly files: readonly string[] }

async function tipOf(repository: Repository, branch: string): Promise<string | undefined> {
  const found = await repository.try(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`])
  return found.code === 0 ? found.stdout.trim() : undefined
}

async function merged(repository: Repository, theirs: string, ours: string, message: string): Promise<MergedCommit> {
  if ((await repository.try(['merge-base', '--is-ancestor', theirs, ours])).code === 0) return { commit: ours }
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', theirs, ours]
  const { code, bytes, stderr } = await repository.try(args)
  const [tree = '', ...files] = splitNul(bytes).map(displayName)
  if (code === 1) return { files: [...new Set(files)].filter((file) => file !== '') }
  if (code !== 0) throw new DetailError(statusNotice('gitFailed', { command: 'merge-tree', why: stderr.trim() }))
  const commit = await repository.run(['commit-tree', tree, '-p', theirs, '-p', ours, '-F', '-'], { input: message })
  return { commit: commit.trim() }
}

async function rebased(repository: Repository, theirs: string, ours: string, scratch: string): Promise<MergedCommit> {
  const folder = join(scratch, `rebase-${randomUUID()}`)
  await repository.serialize(() => repository.run(['worktree', 'add', '--quiet', '--detach', '--no-checkout', folder, ours]))
  try {
    // Runs with the configured drivers of that folder disabled.
    await repository.run(['reset', '--quiet', '--hard'], { folder })
    const { code, stderr } = await repository.try(['rebase', '--quiet', '--no-verify', theirs], { folder })
    if (code === 0) return { commit: (await repository.run(['rev-parse', 'HEAD'], { folder })).trim() }
    const unmerged = await repository.bytes(['diff', ...safeDiffOptions, '--name-only', '--diff-filter=U', '-z'], { folder })
    const files = splitNul(unmerged).map(displayName)
    await repository.try(['rebase', '--abort'], { folder })
    if (files.length === 0) throw new DetailError(statusNotice('gitFailed', { command: 'rebase', why: stderr.trim() }))
    return { files }
  } finally {
    // Made above, so nothing of anyone else can be lost.
    await repository.serialize(() => repository.run(['worktree', 'remove', '--force', folder]))
  }
}

async function move(
  repository: Repository,
  target: string,
  from: string,
  to: string,
  refuse: (reason: MergeRefusal, why: Detail) => MergeResult,
): Promise<MergeResult> {
  const holder = (await repository.serialize(() => listWorktrees(repository))).find(({ branch }) => branch === target)
  if (!holder) {
    const { code, stderr } = await repository.try(['update-ref', '-m', 'holdfast: bring in', `refs/heads/${target}`, to, from])
    return code === 0
      ? { outcome: 'done', commit: to }
      : refuse('moved', statusNotice('branchMovedBecause', { branch: target, why: stderr.trim() }))
  }
  const { folder } = holder
  const checkout = await repository.checkoutAt(folder)
  if (!checkout) return refuse('git_refused', statusNotice('gitCannotOpen', { folder, why: statusNotice('notCheckout') }))
  const dirty = await checkout.try(['status', '--porcelain=v1', '--untracked-files=no', '--ignore-submodules=all'])
  if (dirty.code !== 0 || dirty.stdout !== '')
    return refuse('target_in_use', statusNotice('branchInUse', { branch: target, folder }))
  if ((await tipOf(repository, target)) !== from) return refuse('moved', statusNotice('branchMoved', { branch: target }))
  // git refuses to overwrite uncommitted or untracked files, and commits that arrived meanwhile.
  const { code, stderr } = await checkout.try(['merge', '--ff-only', '--quiet', '--no-stat', '--no-verify', to], {
    config: { [`branch.${target}.mergeOptions`]: '' },
  })
  return code === 0 ? { outcome: 'done', commit: to } : refuse('git_refused', stderr.trim())
}
