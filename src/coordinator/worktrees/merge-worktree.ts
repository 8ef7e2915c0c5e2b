/**
 * Merges or rebases a worktree's work into a branch of the person (WT6). The result is computed
 * apart from both sides, on objects alone, so a conflict changes nothing. The branch moves only if
 * it has not changed meanwhile. A checked-out branch is moved in its checkout if that is clean
 * (move-checkout.ts); otherwise the person gets a command to run.
 */
import { isBelow } from '../../platform/files/path-inside.ts'
import { DetailError, detailFields, statusNotice } from '../../protocol/status-texts.ts'
import type { MergeResult } from '../../protocol/worktrees/worktree.ts'
import { displayName, splitNul } from './file-names.ts'
import { isWork, uncommittedIn } from './look.ts'
import { type Move, moveCheckout, type Refuse, tipOf } from './move-checkout.ts'
import { listWorktrees, type OurWorktree, type Repository } from './repository.ts'
import { mergeCommand } from './worktree-state.ts'

const maxConflictFiles = 500
/** Commits that are brought over one by one. */
const maxRebased = 1000

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
  const refuse: Refuse = (reason, why) => ({
    outcome: 'refused',
    reason,
    ...detailFields('why', why),
    command: reason === 'target_in_use' || reason === 'needs_filter' ? command : null,
  })
  const uncommitted = (await uncommittedIn(repository)).filter(isWork)
  if (uncommitted.length > 0)
    return refuse('uncommitted', statusNotice('uncommittedFiles', { count: uncommitted.length }))
  const held = leftAlone === null ? undefined : holderOf(repository, target)
  if (leftAlone !== null && held && isBelow(leftAlone, held.folder))
    return refuse('no_branch', statusNotice('branchOfOther', { branch: target }))
  const ours = repository.facts.head
  const theirs = await tipOf(repository, target)
  if (theirs === undefined) return refuse('no_branch', statusNotice('noBranch', { branch: target }))
  if (await isBehind(repository, ours, theirs)) return { outcome: 'nothing_new', commit: theirs }
  const combine = () =>
    how === 'merge' ? merged(repository, theirs, ours, message) : rebased(repository, theirs, ours)
  const result = (await isBehind(repository, theirs, ours)) ? { commit: ours } : await combine()
  if ('files' in result)
    return { outcome: 'conflicts', files: result.files.slice(0, maxConflictFiles), command }
  return move(repository, { target, from: theirs, to: result.commit }, refuse)
}

type MergedCommit = { readonly commit: string } | { readonly files: readonly string[] }

const isBehind = async (repository: Repository, first: string, second: string): Promise<boolean> =>
  (await repository.try(['merge-base', '--is-ancestor', first, second])).code === 0

const maxListBytes = 64 * 1024 * 1024
const mergeMs = 600_000

/** The tree of both, or the files that conflict. */
async function mergedTree(
  repository: Repository,
  theirs: string,
  ours: string,
): Promise<{ tree: string } | { files: string[] }> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', theirs, ours]
  const { code, bytes, stderr } = await repository.try(args, {
    maxBytes: maxListBytes,
    timeoutMs: mergeMs,
  })
  const [tree = '', ...files] = splitNul(bytes).map(displayName)
  if (code === 1) return { files: [...new Set(files)].filter((file) => file !== '') }
  if (code !== 0)
    throw new DetailError(statusNotice('gitFailed', { command: 'merge-tree', why: stderr.trim() }))
  return { tree }
}

async function merged(
  repository: Repository,
  theirs: string,
  ours: string,
  message: string,
): Promise<MergedCommit> {
  const made = await mergedTree(repository, theirs, ours)
  if ('files' in made) return made
  return { commit: await commitOf(repository, made.tree, [theirs, ours], message) }
}

const commitOf = async (
  repository: Repository,
  tree: string,
  parents: readonly string[],
  message: string | Buffer,
  how: { env?: Record<string, string>; config?: Record<string, string> } = {},
): Promise<string> => {
  const args = ['commit-tree', tree, ...parents.flatMap((id) => ['-p', id]), '-F', '-']
  return (await repository.run(args, { ...how, input: message })).trim()
}

/**
 * Brings the commits over one by one, as `git rebase` does: merges, what the branch has already,
 * and what comes to nothing are left out. Each is a merge of two made-up commits whose parent has
 * the files of the commit's own parent.
 */
async function rebased(
  repository: Repository,
  theirs: string,
  ours: string,
): Promise<MergedCommit> {
  const range = ['--cherry-pick', '--right-only', `${theirs}...${ours}`]
  const list = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--parents', ...range]
  const lines = (await repository.run(list)).split('\n').filter(Boolean)
  if (lines.length > maxRebased)
    throw new DetailError(statusNotice('rebaseTooLong', { count: lines.length, most: maxRebased }))
  let tip = theirs
  for (const line of lines) {
    const [commit = '', parent] = line.split(' ')
    const picked = parent === tip ? { tip: commit } : await pick(repository, tip, commit, parent)
    if ('files' in picked) return picked
    tip = picked.tip
  }
  return { commit: tip }
}

async function pick(
  repository: Repository,
  tip: string,
  commit: string,
  parent: string | undefined,
): Promise<{ tip: string } | { files: string[] }> {
  const [own = '', before = '', onto = ''] = await treesOf(repository, [commit, parent, tip])
  const base = await commitOf(repository, before, [], 'base')
  const sides = [
    await commitOf(repository, onto, [base], 'onto'),
    await commitOf(repository, own, [base], 'own'),
  ] as const
  const made = await mergedTree(repository, ...sides)
  if ('files' in made) return made
  if (made.tree === onto && own !== before) return { tip }
  const text = await repository.bytes(['cat-file', 'commit', commit])
  const end = text.indexOf('\n\n')
  const head = text.toString('utf8', 0, end)
  const [, name = '', email = '', date = ''] =
    /^author (.*?) ?<(.*?)> (\d+ [+-]\d+)$/m.exec(head) ?? []
  const env = {
    GIT_AUTHOR_NAME: name || 'unknown',
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: `@${date}`,
  }
  const [, encoding] = /^encoding (\S+)$/m.exec(head) ?? []
  const config: Record<string, string> =
    encoding === undefined ? {} : { 'i18n.commitEncoding': encoding }
  return {
    tip: await commitOf(repository, made.tree, [tip], text.subarray(end + 2), { env, config }),
  }
}

/** A commit without a parent comes after an empty tree. */
async function treesOf(
  repository: Repository,
  commits: readonly (string | undefined)[],
): Promise<string[]> {
  const empty = commits.includes(undefined)
    ? (await repository.run(['mktree'], { input: '' })).trim()
    : ''
  const there = commits.flatMap((id) => (id === undefined ? [] : [`${id}^{tree}`]))
  const found = (await repository.run(['rev-parse', ...there])).trim().split('\n')
  return commits.map((id) => (id === undefined ? empty : (found.shift() ?? '')))
}

const holderOf = (repository: Repository, target: string) =>
  listWorktrees(repository).find(({ branch }) => branch === target)

async function move(repository: Repository, wanted: Move, refuse: Refuse): Promise<MergeResult> {
  const { target, from, to } = wanted
  const holder = holderOf(repository, target)
  if (holder) return moveCheckout(repository, holder.folder, wanted, refuse)
  const { code, stderr } = await repository.try([
    'update-ref',
    '-m',
    'holdfast: bring in',
    `refs/heads/${target}`,
    to,
    from,
  ])
  return code === 0
    ? { outcome: 'done', commit: to }
    : refuse('moved', statusNotice('branchMovedBecause', { branch: target, why: stderr.trim() }))
}
