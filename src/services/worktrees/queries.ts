/** Read queries for worktrees. */

import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import { Refusal } from '../../domain/errors.ts'
import { epochMs } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { defineQuery } from '../../store/store.ts'
import {
  selectUnusedSince,
  type WorktreeRow,
  type WorktreesFilter,
  worktreesPage,
} from '../../store/worktrees/worktrees.ts'
import { settingsFrom } from '../projects/project-record.ts'
import { noSuchProject } from '../refusals.ts'

export interface WorktreesQuery extends PageQuery, Omit<WorktreesFilter, 'accountId'> {
  readonly viewer: Viewer
}

type PagedWorktree = WorktreeRow & { readonly createdAt: string }

/**
 * Lists a project's worktrees, newest first: of the account's own user sessions, or all for owners.
 */
export const listWorktrees = defineQuery('list-worktrees', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { limit, cursor, viewer, ...filter }: WorktreesQuery,
  ): Promise<Page<PagedWorktree>> => {
    if (!(await reader.row('projects', { id: filter.projectId })))
      throw noSuchProject(filter.projectId)
    const rows = await worktreesPage(
      reader,
      { ...filter, accountId: viewer },
      pageParams({ limit, cursor }),
    )
    return cutPage(
      rows.map((row) => ({ ...row, createdAt: row.created_at })),
      limit,
    )
  },
})

interface WorktreeQuery {
  readonly projectId: string
  readonly worktreeId: string
}

/** Returns a worktree of a project. */
export const findWorktree = defineQuery('find-worktree', {
  scope: 'anybody',
  on: 'worktree',
  withoutSnapshot: true,
  run: async (reader, { projectId, worktreeId }: WorktreeQuery): Promise<WorktreeRow> => {
    const row = await reader.row('worktrees', { id: worktreeId })
    if (row?.project_id !== projectId)
      throw new Refusal('not_found', refusalText('noWorktree', { id: worktreeId }), { worktreeId })
    return row
  },
})

/**
 * Where sessions work; anything else is a branch of the repository's people. Some file systems do
 * not tell small letters from capitals.
 */
const branchesOfSessions = /^holdfast\//i

interface BranchQuery {
  readonly coordinatorId: string
  readonly branch: string
  readonly viewer: Viewer
}

/**
 * WT6, SE28: whether a branch is of the caller's worktrees, of somebody else's or nobody's known,
 * or of the repository.
 */
export const findOwnerOfBranch = defineQuery('find-owner-of-branch', {
  scope: 'anybody',
  on: 'viewer',
  withoutSnapshot: true,
  run: async (
    reader,
    { coordinatorId, branch, viewer }: BranchQuery,
  ): Promise<'callers' | 'others' | 'repositorys'> => {
    if (viewer === null) return 'callers'
    if (!branchesOfSessions.test(branch)) return 'repositorys'
    const rows = await reader.rows('worktrees', { coordinator_id: coordinatorId, branch })
    const isTheirs =
      rows.length > 0 && rows.every((row) => isVisible(viewer, row.account_id || null))
    return isTheirs ? 'callers' : 'others'
  },
})

const worktreesPageSize = 200

interface UnusedWorktrees {
  readonly due: readonly { readonly worktreeId: string; readonly projectId: string }[]
  /** The last one read. Undefined when there are no more. */
  readonly after: string | undefined
}

/**
 * Lists worktrees unused for longer than the policy allows, in pages (WT3). Removed only if nothing
 * would be lost.
 */
export const findUnusedWorktrees = defineQuery('find-unused-worktrees', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { after }: { after: string }, { now }): Promise<UnusedWorktrees> => {
    const rows = await reader.all(selectUnusedSince, {
      until: now,
      after,
      limit: worktreesPageSize,
    })
    const due = rows.filter(({ settings, last_used_at }) => {
      const afterMs = durationMs(settingsFrom(settings), 'worktree.remove_after_days')
      return afterMs > 0 && epochMs(now) - epochMs(last_used_at) >= afterMs
    })
    return {
      due: due.map((row) => ({ worktreeId: row.id, projectId: row.project_id })),
      after: rows.length < worktreesPageSize ? undefined : rows.at(-1)?.id,
    }
  },
})
