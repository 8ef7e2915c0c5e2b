/**
 * The state of a worktree (WT2): its branch, how far it is ahead and behind, and the files changed
 * since its fork point.
 */
import type { WorktreeState } from '../../protocol/worktrees/worktree.ts'
import { splitNul } from './file-names.ts'
import { isWork, type NamedFile, named, uncommittedIn, withNewFiles, withoutName } from './look.ts'
import type { OurWorktree } from './repository.ts'

/** The git command that merges the work (WT6), for a person to run in their checkout. Pure. */
export const mergeCommand = (branch: string, target: string, how: 'merge' | 'rebase'): string =>
  how === 'merge'
    ? `git switch ${quoted(target)} && git merge ${quoted(branch)}`
    : `git switch ${quoted(target)} && git cherry-pick ${quoted(`${target}..${branch}`)}`

const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Options of every `git diff`: it runs no programs, and enters no repository inside of another. */
export const safeDiffOptions = [
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=all',
  '--submodule=short',
]
const maxNamedFiles = 1000

/** `uncommitted` is passed when it was just read. */
export async function stateOf(
  worktree: OurWorktree,
  uncommitted?: readonly NamedFile[],
): Promise<WorktreeState> {
  const { repository, record } = worktree
  const { head, branch } = repository.facts
  // First, because it brings our index up to date.
  const pending = uncommitted ?? (await uncommittedIn(repository))
  const [since, apart] = await Promise.all([
    changedSince(worktree, pending),
    record.baseBranch === null
      ? undefined
      : repository.try([
          'rev-list',
          '--left-right',
          '--count',
          `${head}...refs/heads/${record.baseBranch}`,
        ]),
  ])
  const files = mergeFiles(since, pending)
  const counts = apart?.code === 0 ? apart.stdout.trim().split('\t').map(Number) : []
  return {
    branch,
    head,
    ahead: counts[0] ?? null,
    behind: counts[1] ?? null,
    files: files.slice(0, maxNamedFiles).map(withoutName),
    fileCount: files.length,
    uncommitted: pending.filter(isWork).length,
    command:
      record.baseBranch === null ? null : mergeCommand(record.branch, record.baseBranch, 'merge'),
  }
}

/**
 * All changes since the fork point, untracked files last, and the names of those that are staged as
 * new.
 */
export async function filesOf(
  worktree: OurWorktree,
): Promise<{ all: NamedFile[]; staged: Buffer[] }> {
  const pending = await uncommittedIn(worktree.repository)
  return {
    all: mergeFiles(await changedSince(worktree, pending), pending),
    staged: stagedIn(pending),
  }
}

const stagedIn = (pending: readonly NamedFile[]): Buffer[] =>
  pending.filter(({ change }) => change === 'added').map(({ name }) => name)

function mergeFiles(since: readonly NamedFile[], pending: readonly NamedFile[]): NamedFile[] {
  const conflicted = new Set(
    pending.filter(({ change }) => change === 'conflicted').map(({ path }) => path),
  )
  const isNested = new Set(pending.filter((file) => !isWork(file)).map(({ path }) => path))
  return [
    ...since
      .filter(({ path }) => !isNested.has(path))
      .map((file) =>
        conflicted.has(file.path) ? ({ ...file, change: 'conflicted' } as const) : file,
      ),
    ...pending.filter(({ change }) => change === 'untracked' || change === 'repository'),
  ]
}

const changeOf: Readonly<Record<string, 'added' | 'deleted'>> = { A: 'added', D: 'deleted' }

/**
 * `M\0path\0R100\0old\0new\0`. What is staged as new counts as committed here, so that a moved file
 * is shown as one.
 */
async function changedSince(
  worktree: OurWorktree,
  pending: readonly NamedFile[],
): Promise<NamedFile[]> {
  const { repository } = worktree
  const args = [
    'diff',
    ...safeDiffOptions,
    '--name-status',
    '--find-renames',
    '-z',
    await worktree.forkPoint(),
    '--',
  ]
  const words = splitNul(
    await withNewFiles(repository, stagedIn(pending), (env) => repository.bytes(args, { env })),
  )
  const files: NamedFile[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const letter = words[at]?.toString('latin1', 0, 1)
    const isMove = letter === 'R' || letter === 'C'
    const [first, second] = [words[at + 1] ?? Buffer.of(), words[at + 2] ?? Buffer.of()]
    if (isMove) files.push({ ...named(second, 'renamed'), from: first })
    else files.push(named(first, changeOf[letter ?? ''] ?? 'modified'))
    if (isMove) at++
  }
  return files
}
