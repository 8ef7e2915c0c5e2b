/**
 * The record that identifies a worktree as ours (WT3), a file in git's folder for that worktree. A worktree without it is never
 * removed, whatever its name or location.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface WorktreeRecord {
  readonly userSessionShort: string
  readonly role: string
  readonly branch: string
  /** Base commit, and the branch that was checked out then. */
  readonly base: string
  readonly baseBranch: string | null
}

const recordFile = (gitFolder: string): string => join(gitFolder, 'holdfast.json')

/** Written when the checkout is complete. */
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
