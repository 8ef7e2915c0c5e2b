/** User sessions over HTTP (US); what happens in one comes over the relay on `/ws`. */
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Id } from '../text.ts'
import { Turn, UserSession } from './user-session.ts'

export const userSessionRoutes = {
  listUserSessions: route('GET /api/user-sessions', 'read', {
    ...listOf(UserSession, { projectId: Id.optional(), state: UserSession.shape.state.optional() }),
  })`
    List the user sessions that are not terminated, or those that are, newest first: your own, or everybody's for who manages the installation`,
  getUserSession: route('GET /api/user-sessions/{userSessionId}', 'read', { answer: UserSession })`
    Read a user session with its agents, what runs, what waits and what is asked; also one that is terminated`,
  listTurns: route('GET /api/user-sessions/{userSessionId}/turns', 'read', listOf(Turn))`
    List what was said to the agents of a user session and what they answered, newest first`,
  terminateUserSession: route('DELETE /api/user-sessions/{userSessionId}', 'write')`
    Terminate a user session; its agents have 5 seconds to go. Worktrees stay. Also one that is terminated`,
}
