/** User sessions over HTTP (US); what happens in one comes over the relay on `/ws`. */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Id } from '../text.ts'
import { Turn, UserSession } from './user-session.ts'

const which = z.object({ userSessionId: Id })

export const userSessionRoutes = {
  listUserSessions: {
    method: 'GET',
    path: '/api/user-sessions',
    scope: 'read',
    summary:
      "List the user sessions that are not terminated, or those that are, newest first: your own, or everybody's for who manages the installation",
    query: PageQuery.extend({ projectId: Id.optional(), state: UserSession.shape.state.optional() }),
    status: 200,
    answer: pageOf(UserSession),
  },
  getUserSession: {
    method: 'GET',
    path: '/api/user-sessions/{userSessionId}',
    scope: 'read',
    summary: 'Read a user session with its agents, what runs, what waits and what is asked; also one that is terminated',
    params: which,
    status: 200,
    answer: UserSession,
  },
  listTurns: {
    method: 'GET',
    path: '/api/user-sessions/{userSessionId}/turns',
    scope: 'read',
    summary: 'List what was said to the agents of a user session and what they answered, newest first',
    params: which,
    query: PageQuery,
    status: 200,
    answer: pageOf(Turn),
  },
  terminateUserSession: {
    method: 'DELETE',
    path: '/api/user-sessions/{userSessionId}',
    scope: 'write',
    summary: 'Terminate a user session; its agents have 5 seconds to go. Worktrees stay. Also one that is terminated',
    params: which,
    status: 204,
  },
} as const satisfies Record<string, Route>
