/** Queries about worktrees; refreshed when an event says that they may have changed, never by a timer. */
import { queryOptions } from '@tanstack/react-query'
import type { ListedWorktree, Worktree, WorktreeDiff, WorktreeState } from '../../../src/protocol/worktrees/worktree.ts'
import { client } from '../live/queries.ts'

export interface RoleWorktree {
  readonly worktree: Worktree
  readonly state: WorktreeState | null
}

const one = '/api/projects/{projectId}/worktrees/{worktreeId}'

export const worktreeOfRole = (projectId: string, userSessionId: string, role: string) =>
  queryOptions<RoleWorktree | null>({
    queryKey: ['worktree', projectId, userSessionId, role],
    queryFn: async ({ signal }) => {
      const query = { userSessionId, role, limit: 1 }
      const { items } = await client.get('/api/projects/{projectId}/worktrees', { params: { projectId }, query, signal })
      const [found] = items
      return found ? client.get(one, { params: { projectId, worktreeId: found.id }, signal }) : null
    },
    staleTime: 0,
  })

export const diffOfFile = ({ projectId, id }: Pick<Worktree, 'projectId' | 'id'>, path: string, head: string) =>
  queryOptions<WorktreeDiff>({
    queryKey: ['worktree-diff', id, path, head],
    queryFn: ({ signal }) => client.get(`${one}/diff`, { params: { projectId, worktreeId: id }, query: { path }, signal }),
    staleTime: 0,
  })

export const worktreesOf = (projectId: string) =>
  queryOptions<ListedWorktree[]>({
    queryKey: ['worktrees', projectId],
    queryFn: async ({ signal }) => {
      const query = { look: true, limit: 200 }
      return (await client.get('/api/projects/{projectId}/worktrees', { params: { projectId }, query, signal })).items
    },
    staleTime: 0,
  })
