/** What has become of a worktree (WT2): its branch, how far it is ahead and behind, and which files have changed since it began. */
import { commandFor } from './git-command.ts'
import type { OurWorktree } from './open-worktree.ts'

/** Of changed files that are named; the rest is counted. */
const mostNamed = 1000

export interface ChangedFile {
  readonly path: string
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked' | 'conflicted'
}

export interface WorktreeState {
  /** The branch that is checked out; not ours when the agent has changed it, null between branches. */
  readonly branch: string | null
  readonly head: string
  /** Against the branch it began at; null when that is gone. */
  readonly ahead: number | null
  readonly behind: number | null
  /** Since it left that branch, committed or not. */
  readonly files: readonly ChangedFile[]
  readonly fileCount: number
  /** Files that are not committed, untracked ones among them. */
  readonly uncommitted: number
  /** What brings it into the branch it began at, to be typed there; null when it began between branches. */
  readonly command: string | null
}

export async function stateOf(worktree: OurWorktree): Promise<WorktreeState> {
  const { repository, mark, forkPoint } = worktree
  const [pending, since, apart] = await Promise.all([
    uncommittedIn(worktree),
    repository.run(['diff', '--name-status', '--find-renames', '--no-ext-diff', '-z', forkPoint, '--']),
    mark.baseBranch === null
      ? undefined
      : repository.try(['rev-list', '--left-right', '--count', `HEAD...refs/heads/${mark.baseBranch}`]),
  ])
  const conflicted = new Set(pending.filter(({ change }) => change === 'conflicted').map(({ path }) => path))
  const files = [
    ...changesIn(since).map((file) => (conflicted.has(file.path) ? ({ ...file, change: 'conflicted' } as const) : file)),
    ...pending.filter(({ change }) => change === 'untracked'),
  ]
  const counts = apart?.code === 0 ? apart.stdout.trim().split('\t').map(Number) : []
  return {
    branch: repository.facts.branch,
    head: repository.facts.head,
    ahead: counts[0] ?? null,
    behind: counts[1] ?? null,
    files: files.slice(0, mostNamed),
    fileCount: files.length,
    uncommitted: pending.length,
    command: mark.baseBranch === null ? null : commandFor(mark.branch, mark.baseBranch, 'merge'),
  }
}

/** What would be lost with the folder: changed, staged and untracked files. Ignored ones are not among them. */
export async function uncommittedIn({ repository }: Pick<OurWorktree, 'repository'>): Promise<ChangedFile[]> {
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=none', '--no-renames']
  const text = await repository.run(args)
  return text
    .split('\0')
    .filter((line) => line.length > 3)
    .map((line) => ({ path: line.slice(3), change: pendingChange(line.slice(0, 2)) }))
}

function pendingChange(letters: string): ChangedFile['change'] {
  if (letters === '??') return 'untracked'
  if (letters.includes('U') || letters === 'AA' || letters === 'DD') return 'conflicted'
  if (letters.includes('D')) return 'deleted'
  return letters.includes('A') ? 'added' : 'modified'
}

/** `M\0path\0R100\0old\0new\0` */
function changesIn(text: string): ChangedFile[] {
  const words = text.split('\0')
  const files: ChangedFile[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const letter = words[at]?.[0]
    const isMove = letter === 'R' || letter === 'C'
    if (isMove) at++
    const path = words[at + 1] ?? ''
    const change = isMove ? 'renamed' : letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified'
    files.push({ path, change })
  }
  return files
}
