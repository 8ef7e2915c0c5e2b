/** Paths for the commands of worktrees, and their losses and sizes in words. */
import { visible } from '../../platform/log/visible.ts'
import type { ListedWorktree, LossSummary } from '../../protocol/worktrees/worktree.ts'
import { counted } from '../amounts.ts'

const maxNamed = 8

export function lossesInWords({
  files,
  fileCount,
  commits,
  commitCount,
  unfinished,
}: Omit<LossSummary, 'digest'>): string {
  const named = (names: readonly string[], count: number): string =>
    names.slice(0, maxNamed).map(visible).join(', ') + (count > maxNamed ? ', …' : '')
  return [
    ...(fileCount > 0
      ? [`${counted(fileCount, 'file')} not committed (${named(files, fileCount)})`]
      : []),
    ...(commitCount > 0
      ? [`${counted(commitCount, 'commit')} in no other branch (${named(commits, commitCount)})`]
      : []),
    ...unfinished.map((what) => `a ${what} that is not finished`),
  ].join('; ')
}

export const many = '/api/projects/{projectId}/worktrees'
export const one = `${many}/{worktreeId}` as const
export const bytesOf = (worktrees: readonly ListedWorktree[]): number =>
  worktrees.reduce((sum, { look }) => sum + (look?.disk.bytes ?? 0), 0)
