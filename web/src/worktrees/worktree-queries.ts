/**
 * Queries about worktrees; refreshed when an event says that they may have changed, never by a
 * timer.
 */
import { queryOptions } from '@tanstack/react-query'
import type {
  ListedWorktree,
  Worktree,
  WorktreeDiff,
  WorktreeState,
} from '../../../src/protocol/worktrees/worktree.ts'
import { client, keptShortlyMs } from '../live/queries.ts'

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
      const { items } = await client.get('/api/projects/{projectId}/worktrees', {
        params: { projectId },
        query,
        signal,
      })
      const [found] = items
      return found ? client.get(one, { params: { projectId, worktreeId: found.id }, signal }) : null
    },
    staleTime: 0,
  })

export const worktreeById = (projectId: string, worktreeId: string) =>
  queryOptions<RoleWorktree>({
    queryKey: ['worktree', projectId, worktreeId],
    queryFn: ({ signal }) => client.get(one, { params: { projectId, worktreeId }, signal }),
    staleTime: 0,
    refetchOnWindowFocus: true,
  })

/** The conversation whose turns made the changes. */
export const keyOf = ({ conversation, userSessionId, role }: Worktree): string | undefined =>
  conversation ?? (userSessionId === null ? undefined : `console:${userSessionId}.${role}`)

/** `stamp` is another one whenever the worktree may have changed. */
export const diffOfWorktree = (
  { projectId, id }: Pick<Worktree, 'projectId' | 'id'>,
  stamp: string,
) =>
  queryOptions<WorktreeDiff>({
    queryKey: ['worktree-diff', id, stamp],
    queryFn: ({ signal }) =>
      client.get(`${one}/diff`, { params: { projectId, worktreeId: id }, signal }),
    staleTime: 0,
    gcTime: keptShortlyMs,
  })

export const diffOfFile = (
  { projectId, id }: Pick<Worktree, 'projectId' | 'id'>,
  path: string,
  stamp: string,
) =>
  queryOptions<WorktreeDiff>({
    queryKey: ['worktree-diff', id, stamp, path],
    queryFn: ({ signal }) =>
      client.get(`${one}/diff`, { params: { projectId, worktreeId: id }, query: { path }, signal }),
    staleTime: 0,
    gcTime: keptShortlyMs,
  })

export const worktreesOf = (projectId: string) =>
  queryOptions<ListedWorktree[]>({
    queryKey: ['worktrees', projectId],
    queryFn: async ({ signal }) => {
      const query = { look: true, limit: 200 }
      return (
        await client.get('/api/projects/{projectId}/worktrees', {
          params: { projectId },
          query,
          signal,
        })
      ).items
    },
    staleTime: 0,
    gcTime: keptShortlyMs,
  })
