/**
 * Combines two commits on objects alone (WT6): merged, rebased or squashed, without a worktree and
 * without merge drivers. A conflict changes nothing, and no ref names what was made.
 */
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import { displayName, splitNul } from './file-names.ts'
import type { Repository } from './repository.ts'

/** Commits that are brought over one by one. */
const maxRebased = 1000

export interface Combination {
  /** The tip that the work is brought onto. */
  readonly theirs: string
  readonly ours: string
  readonly message: string
  /** Who the new commits are by; left out: Holdfast (WT4). */
  readonly env?: Readonly<Record<string, string>>
}

export function combine(
  repository: Repository,
  how: 'merge' | 'rebase' | 'squash',
  both: Combination,
): Promise<MergedCommit> {
  return how === 'rebase' ? rebased(repository, both) : merged(repository, both, how)
}

type MergedCommit = { readonly commit: string } | { readonly files: readonly string[] }

export const isBehind = async (
  repository: Repository,
  first: string,
  second: string,
): Promise<boolean> =>
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
  { theirs, ours, message, env = {} }: Combination,
  how: 'merge' | 'squash',
): Promise<MergedCommit> {
  const made = await mergedTree(repository, theirs, ours)
  if ('files' in made) return made
  const parents = how === 'squash' ? [theirs] : [theirs, ours]
  return { commit: await commitOf(repository, made.tree, parents, message, { env }) }
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
  { theirs, ours, env = {} }: Combination,
): Promise<MergedCommit> {
  const range = ['--cherry-pick', '--right-only', `${theirs}...${ours}`]
  const list = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--parents', ...range]
  const lines = (await repository.run(list)).split('\n').filter(Boolean)
  if (lines.length > maxRebased)
    throw new DetailError(statusNotice('rebaseTooLong', { count: lines.length, most: maxRebased }))
  let tip = theirs
  for (const line of lines) {
    const [commit = '', parent] = line.split(' ')
    const picked =
      parent === tip
        ? { tip: commit }
        : await pick(repository, { tip, commit, parent, committer: env })
    if ('files' in picked) return picked
    tip = picked.tip
  }
  return { commit: tip }
}

async function pick(
  repository: Repository,
  {
    tip,
    commit,
    parent,
    committer,
  }: {
    readonly tip: string
    readonly commit: string
    readonly parent: string | undefined
    readonly committer: Readonly<Record<string, string>>
  },
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
    ...committer,
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
