/**
 * Removes a worktree of ours when nothing can be lost by it, or when a person has confirmed exactly what would be (WT3). git does the
 * removing; where it refuses we stop and say so. Nothing here deletes a folder by itself.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isBelow } from '../../platform/path-inside.ts'
import { statusText } from '../../protocol/sentences.ts'
import { isOurBranch } from './branch-name.ts'
import { pathOf } from './file-name.ts'
import type { OurWorktree } from './open-worktree.ts'
import { type ChangedFile, type NamedFile, uncommittedIn, withoutName } from './worktree-state.ts'

const maxCommits = 200

export interface Losses {
  readonly files: readonly ChangedFile[]
  /** Commits that no other branch, tag or remote has. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[]
  /** What git is in the middle of. */
  readonly unfinished: readonly string[]
  /** What a person confirms: the same losses, nothing more. */
  readonly digest: string
}

/** `uncommitted`: as it was just read. */
export const lossesOf = async (worktree: OurWorktree, uncommitted?: readonly NamedFile[]): Promise<Losses> =>
  (await lossesAndTip(worktree, uncommitted)).losses

interface LossesAndTip {
  readonly losses: Losses
  /** Where its branch was when they were looked for; undefined when it has none. */
  readonly tip: string | undefined
}

async function lossesAndTip(worktree: OurWorktree, uncommitted?: readonly NamedFile[]): Promise<LossesAndTip> {
  const { gitFolder, repository, top, record } = worktree
  const files = (uncommitted ?? (await uncommittedIn(worktree))).flatMap((file) => [file, ...(file.within ?? [])])
  const { code, stdout } = await repository.try(['rev-parse', '--verify', '--quiet', `refs/heads/${record.branch}`])
  const tip = code === 0 ? stdout.trim() : undefined
  const commits = await commitsOnlyHere(worktree, tip)
  const unfinished = operations.filter(([file]) => existsSync(join(gitFolder, file))).map(([, name]) => name)
  const stamps = await Promise.all(
    files.map(async (file) => [file.name.toString('hex'), file.change, await fileStamp(top, file)]),
  )
  const digest = createHash('sha256')
    .update(JSON.stringify([repository.facts.head, stamps, commits, unfinished]))
    .digest('hex')
  return { losses: { files: files.map(withoutName), commits, unfinished, digest }, tip }
}

/** Enough to see that somebody has worked on it since. */
async function fileStamp(top: string, { name }: NamedFile): Promise<readonly number[]> {
  const found = await lstat(pathOf(top, name)).catch(() => undefined)
  return found ? [found.size, found.mtimeMs, found.ctimeMs, found.ino] : []
}

const operations = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
] as const

/** Of what is checked out, and of the branch that goes with it. */
async function commitsOnlyHere({ repository, record }: OurWorktree, tip: string | undefined): Promise<Losses['commits']> {
  // Not `--all`, which counts what is checked out here as well; and nothing that goes with the worktree.
  const gone = [`refs/heads/${record.branch}`, 'refs/stash', 'refs/worktree/*', 'refs/bisect/*', 'refs/rewritten/*']
  const args = ['rev-list', '--no-commit-header', '--format=%H %s', `--max-count=${maxCommits}`, 'HEAD', ...(tip ? [tip] : [])]
  const text = await repository.run([...args, '--not', ...gone.map((ref) => `--exclude=${ref}`), '--glob=refs/*'])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
}

export interface RemovalOptions {
  /** Where our worktrees are; nothing elsewhere is removed. */
  readonly root: string
  /** Processes that live in the folder; there must be none, whatever is confirmed. */
  readonly processesIn: (folder: string) => Promise<readonly number[]>
  /** The digest of the losses a person has seen and confirmed. */
  readonly confirmed?: string | undefined
}

export type RemovalResult =
  | { readonly outcome: 'removed' }
  | { readonly outcome: 'refused'; readonly reason: 'not_ours' | 'in_use' | 'git_refused'; readonly why: string }
  /** Something would be lost, and nobody has confirmed exactly that. */
  | { readonly outcome: 'would_lose'; readonly losses: Losses }

export async function removeWorktree(
  worktree: OurWorktree,
  { root, processesIn, confirmed }: RemovalOptions,
): Promise<RemovalResult> {
  const { repository, top, record } = worktree
  if (!isBelow(root, top) || !isOurBranch(record.branch))
    return { outcome: 'refused', reason: 'not_ours', why: `${top} is not where Holdfast keeps its worktrees.` }
  const living = await processesIn(top)
  if (living.length > 0) return inUse(living)
  const { losses, tip } = await lossesAndTip(worktree)
  const losesNothing = losses.files.length + losses.commits.length + losses.unfinished.length === 0
  if (!losesNothing && confirmed !== losses.digest) return { outcome: 'would_lose', losses }
  // Once more, because to look through a large tree takes a while and somebody may have come to work in it.
  const come = await processesIn(top)
  if (come.length > 0) return inUse(come)
  const force = losesNothing ? [] : ['--force']
  const folder = repository.facts.commonFolder
  const removed = await repository.serialize(() => repository.try(['worktree', 'remove', ...force, top], { folder }))
  if (removed.code !== 0) return { outcome: 'refused', reason: 'git_refused', why: removed.stderr.trim() }
  // Only from where it was seen: a commit that came meanwhile keeps its branch.
  if (tip) await repository.try(['update-ref', '-d', `refs/heads/${record.branch}`, tip], { folder })
  return { outcome: 'removed' }
}

const inUse = (pids: readonly number[]): RemovalResult => ({
  outcome: 'refused',
  reason: 'in_use',
  why: statusText('processesThere', { pids: pids.join(', ') }),
})

/** A plain directory (WT4) has no other place for what is in it: only an empty one goes. */
export async function removePlainFolder(root: string, folder: string): Promise<RemovalResult> {
  if (!isBelow(root, folder))
    return { outcome: 'refused', reason: 'not_ours', why: `${folder} is not where Holdfast keeps its workspaces.` }
  try {
    await rmdir(folder)
    return { outcome: 'removed' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOTEMPTY' ? `${folder} is not empty; what is in it is nowhere else.` : `${folder}: ${code}`
    return { outcome: 'refused', reason: 'git_refused', why }
  }
}
