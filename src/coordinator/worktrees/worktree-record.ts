/**
 * What tells our worktrees from a person's (WT3): a file that we put where git keeps its own notes about a worktree. Without it a
 * tree is not ours, whatever its name or place, and is never removed.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface WorktreeRecord {
  readonly userSessionShort: string
  readonly role: string
  readonly branch: string
  /** The commit it began at, and the branch that was checked out then. */
  readonly base: string
  readonly baseBranch: string | null
}

const recordFile = (gitFolder: string): string => join(gitFolder, 'holdfast.json')

/** Written when the tree is whole. */
export const writeWorktreeRecord = (gitFolder: string, record: WorktreeRecord): Promise<void> =>
  writeFile(recordFile(gitFolder), `${JSON.stringify(record, null, 2)}\n`)

export async function readWorktreeRecord(gitFolder: string): Promise<WorktreeRecord | undefined> {
  try {
    const found = JSON.parse(await readFile(recordFile(gitFolder), 'utf8')) as Partial<Record<keyof WorktreeRecord, unknown>>
    const { userSessionShort, role, branch, base, baseBranch } = found
    const isWhole = [userSessionShort, role, branch, base].every((value) => typeof value === 'string' && value !== '')
    return isWhole && (baseBranch === null || typeof baseBranch === 'string') ? (found as WorktreeRecord) : undefined
  } catch {
    return undefined
  }
}
