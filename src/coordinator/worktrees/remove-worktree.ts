/**
 * Removes a worktree of ours if nothing is lost, or if a person confirmed exactly these losses
 * (WT3). git does the removal, and if it refuses, nothing is forced. No code here deletes folders
 * itself.
 */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isBelow } from '../../platform/files/path-inside.ts'
import { type Detail, detailFields, statusNotice } from '../../protocol/status-texts.ts'
import type { Losses, RemovalResult } from '../../protocol/worktrees/worktree.ts'
import { isOurBranch } from './branch-name.ts'
import { pathOf } from './file-names.ts'
import { type NamedFile, uncommittedIn, withoutName } from './look.ts'
import type { OurWorktree } from './repository.ts'

const maxCommits = 200
const removalMs = 600_000

/** `uncommitted` is passed when it was just read. */
export const lossesOf = async (
  worktree: OurWorktree,
  uncommitted?: readonly NamedFile[],
): Promise<Losses> => (await lossesAndTip(worktree, uncommitted)).losses

interface LossesAndTip {
  readonly losses: Losses
  /** Tip of its branch at the time; undefined when the branch is gone. */
  readonly tip: string | undefined
}

async function lossesAndTip(
  worktree: OurWorktree,
  uncommitted?: readonly NamedFile[],
): Promise<LossesAndTip> {
  const { gitFolder, repository, top, record } = worktree
  const files = uncommitted ?? (await uncommittedIn(repository))
  const { code, stdout } = await repository.try([
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${record.branch}`,
  ])
  const tip = code === 0 ? stdout.trim() : undefined
  const commits = await commitsOnlyHere(worktree, tip)
  const unfinished = operations
    .filter(([file]) => existsSync(join(gitFolder, file)))
    .map(([, name]) => name)
  const stamps = await Promise.all(
    files.map(async (file) => [file.name.toString('hex'), file.change, await fileStamp(top, file)]),
  )
  const digest = hash(
    'sha256',
    JSON.stringify([repository.facts.head, stamps, commits, unfinished]),
  )
  return { losses: { files: files.map(withoutName), commits, unfinished, digest }, tip }
}

/** Detects later changes to a file. */
async function fileStamp(top: string, { name }: NamedFile): Promise<readonly number[]> {
  const found = await lstat(pathOf(top, name)).catch(() => undefined)
  return found ? [found.size, found.mtimeMs, found.ctimeMs, found.ino] : []
}

export const operations = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
] as const

/** Commits of HEAD and of the branch that would be removed with it. */
async function commitsOnlyHere(
  { repository, record }: OurWorktree,
  tip: string | undefined,
): Promise<Losses['commits']> {
  // Not `--all`, which includes this worktree's HEAD. Refs that are removed with the worktree are
  // excluded.
  const gone = [
    `refs/heads/${record.branch}`,
    'refs/stash',
    'refs/worktree/*',
    'refs/bisect/*',
    'refs/rewritten/*',
  ]
  const args = [
    'rev-list',
    '--no-commit-header',
    '--format=%H %s',
    `--max-count=${maxCommits}`,
    repository.facts.head,
    ...(tip ? [tip] : []),
  ]
  const text = await repository.run([
    ...args,
    '--not',
    ...gone.map((ref) => `--exclude=${ref}`),
    '--glob=refs/*',
  ])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({
      id: line.slice(0, line.indexOf(' ')),
      subject: line.slice(line.indexOf(' ') + 1),
    }))
}

export interface RemovalOptions {
  /** Root of our worktrees; nothing outside is removed. */
  readonly root: string
  /** Lists processes in a folder. Any process prevents the removal, whatever is confirmed. */
  readonly processesIn: (folder: string) => Promise<readonly number[]>
  /** Digest of the losses that a person confirmed. */
  readonly confirmed?: string | undefined
}

export async function removeWorktree(
  worktree: OurWorktree,
  { root, processesIn, confirmed }: RemovalOptions,
): Promise<RemovalResult> {
  const { repository, top, record } = worktree
  if (!isBelow(root, top) || !isOurBranch(record.branch))
    return notRemoved('not_ours', statusNotice('notWhereWorkspaces', { folder: top }))
  const living = await processesIn(top)
  if (living.length > 0) return inUse(living)
  const { losses, tip } = await lossesAndTip(worktree)
  const losesNothing = losses.files.length + losses.commits.length + losses.unfinished.length === 0
  if (!losesNothing && confirmed !== losses.digest) return { outcome: 'would_lose', losses }
  // Checked again, because inspecting a large worktree takes time.
  const come = await processesIn(top)
  if (come.length > 0) return inUse(come)
  // Otherwise git would start another in there, by the worktree's own `.git`. One `--force` removes
  // no locked worktree.
  const args = ['worktree', 'remove', '--force', top]
  const removed = await repository.serialize(() => repository.try(args, { timeoutMs: removalMs }))
  if (removed.code !== 0) return notRemoved('git_refused', removed.stderr.trim())
  // Only if unchanged: a new commit keeps its branch.
  if (tip)
    await repository.try(['update-ref', '-d', `refs/heads/${record.branch}`, tip], {
      env: { GIT_WORK_TREE: undefined },
    })
  await rm(repository.place.dir, { recursive: true, force: true })
  return { outcome: 'removed' }
}

export const notRemoved = (
  reason: 'not_ours' | 'in_use' | 'git_refused',
  why: Detail,
): RemovalResult => ({
  outcome: 'refused',
  reason,
  ...detailFields('why', why),
})

export const inUse = (pids: readonly number[]): RemovalResult =>
  notRemoved('in_use', statusNotice('processesThere', { pids: pids.join(', ') }))

/** Removes a plain directory (WT4), only if it is empty. */
export async function removePlainFolder(root: string, folder: string): Promise<RemovalResult> {
  if (!isBelow(root, folder))
    return notRemoved('not_ours', statusNotice('notWhereWorkspaces', { folder }))
  try {
    await rmdir(folder)
    return { outcome: 'removed' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOTEMPTY' ? statusNotice('folderNotEmpty', { folder }) : `${folder}: ${code}`
    return notRemoved('git_refused', why)
  }
}
