/** Lists the worktrees of a repository, including the person's own checkouts. */
import { setTimeout as pause } from 'node:timers/promises'
import { GitFailure } from './git.ts'
import type { Repository } from './repository.ts'

export interface ListedWorktree {
  readonly folder: string
  readonly head: string | null
  /** Without `refs/heads/`; null when detached. */
  readonly branch: string | null
  readonly locked: string | null
}

export async function listWorktrees(repository: Repository): Promise<ListedWorktree[]> {
  const text = await porcelainList(repository)
  return text
    .split('\0\0')
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const fields = new Map(block.split('\0').map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)] as const))
      return {
        folder: fields.get('worktree') ?? '',
        head: fields.get('HEAD') ?? null,
        branch: fields.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
        locked: fields.get('locked') ?? null,
      }
    })
}

/** git fails to list worktrees while another process adds one, so it is retried. */
const maxTries = 5
const retryMs = 50

async function porcelainList(repository: Repository): Promise<string> {
  for (let tried = 1; ; tried++) {
    try {
      return await repository.run(['worktree', 'list', '--porcelain', '-z'])
    } catch (error) {
      if (!(error instanceof GitFailure) || !/commondir|gitdir/.test(error.message) || tried === maxTries) throw error
      await pause(retryMs)
    }
  }
}
