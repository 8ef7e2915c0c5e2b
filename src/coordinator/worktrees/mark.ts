/**
 * What tells our worktrees from a person's (WT3): a file that we put where git keeps its own notes about a worktree. Without it a
 * tree is not ours, whatever its name or place, and is never removed.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface WorktreeMark {
  readonly userSessionShort: string
  readonly role: string
  readonly branch: string
  /** The commit it began at, and the branch that was checked out then. */
  readonly base: string
  readonly baseBranch: string | null
}

const markFile = (gitFolder: string): string => join(gitFolder, 'holdfast.json')

/** Written when the tree is whole. */
export const writeMark = (gitFolder: string, mark: WorktreeMark): Promise<void> =>
  writeFile(markFile(gitFolder), `${JSON.stringify(mark, null, 2)}\n`)

export async function readMark(gitFolder: string): Promise<WorktreeMark | undefined> {
  try {
    const found = JSON.parse(await readFile(markFile(gitFolder), 'utf8')) as Partial<Record<keyof WorktreeMark, unknown>>
    const { userSessionShort, role, branch, base, baseBranch } = found
    const isWhole = [userSessionShort, role, branch, base].every((value) => typeof value === 'string' && value !== '')
    return isWhole && (baseBranch === null || typeof baseBranch === 'string') ? (found as WorktreeMark) : undefined
  } catch {
    return undefined
  }
}
