/** Describes what would be lost with a worktree, for the confirmation. Pure. */
import { visible } from '../../platform/log/visible.ts'
import type { LossSummary } from '../../protocol/worktrees/worktree.ts'
import { counted } from '../amounts.ts'

/** Upper bound of named losses; the rest is counted. */
const maxNamed = 8

export function lossesInWords({ files, fileCount, commits, commitCount, unfinished }: Omit<LossSummary, 'digest'>): string {
  const named = (names: readonly string[], count: number): string =>
    names.slice(0, maxNamed).map(visible).join(', ') + (count > maxNamed ? ', …' : '')
  return [
    ...(fileCount > 0 ? [`${counted(fileCount, 'file')} not committed (${named(files, fileCount)})`] : []),
    ...(commitCount > 0 ? [`${counted(commitCount, 'commit')} in no other branch (${named(commits, commitCount)})`] : []),
    ...unfinished.map((what) => `a ${what} that is not finished`),
  ].join('; ')
}
