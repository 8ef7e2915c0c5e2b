/**
 * The consoles that are open in a project. Asked for, and asked again when an event says that one
 * came, went or changed.
 */
import { queryOptions } from '@tanstack/react-query'
import type { UserSession } from '../../../src/protocol/consoles/user-session.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import { client, invalidate } from './queries.ts'

const mostListed = 50
/** Many events at once are one question. */
const gatherMs = 150

export const userSessionsOf = (projectId: string) =>
  queryOptions<UserSession[]>({
    queryKey: ['user-sessions', projectId],
    queryFn: async ({ signal }) =>
      (await client.get('/api/user-sessions', { query: { projectId, limit: mostListed }, signal }))
        .items,
    staleTime: 0,
  })

/**
 * Those in which these processes are, of all projects: your own, or everybody's for who manages the
 * installation.
 */
export const userSessionsWith = (launchIds: readonly string[]) =>
  queryOptions<UserSession[]>({
    queryKey: ['user-sessions-with', ...launchIds],
    queryFn: async ({ signal }) =>
      (await client.get('/api/user-sessions', { query: { limit: mostListed }, signal })).items,
    placeholderData: (before) => before,
    enabled: launchIds.length > 0,
  })

const gathered = new Set<string>()
const changes = /^(?:session:|agent:|process-|approval-)/

/** An event of a project's own stream; of user sessions it has copies without a body. */
export function refreshUserSessions(projectId: string, { type }: HoldfastEvent): void {
  if (!changes.test(type) || gathered.has(projectId)) return
  gathered.add(projectId)
  setTimeout(() => {
    gathered.delete(projectId)
    void invalidate(userSessionsOf(projectId).queryKey)
  }, gatherMs)
}
