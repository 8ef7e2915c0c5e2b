/**
 * Queries about worktrees; refreshed when an event says that they may have changed, never by a
 * timer.
 */
import { queryOptions } from '@tanstack/react-query'
import type {
  ListedWorktree,
  Worktree,
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
