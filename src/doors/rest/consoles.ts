/**
 * REST handlers of user sessions: the requests that a script makes as the relay's clients do. What
 * happens then is told over the relay.
 */
import type { userSessionRoutes } from '../../protocol/consoles/routes.ts'
import { getUserSession, listUserSessions } from '../../services/consoles/queries.ts'
import {
  createUserSession,
  terminateUserSession,
} from '../../services/flows/consoles/change-user-session.ts'
import { spawnRoleAgent } from '../../services/flows/consoles/spawn-role-agent.ts'
import { sendPrompt } from '../../services/flows/turns/send-prompt.ts'
import { listTurns } from '../../services/turns/queries.ts'
import { by, type HandlersOf, query } from './handler.ts'

export const userSessionHandlers: HandlersOf<typeof userSessionRoutes> = {
  listUserSessions: query(listUserSessions, (call) => call.query),
  createUserSession: by(createUserSession, async ({ body, who, deps, receipt }) => {
    const { userSessionId } = await deps.userSessions.create(who, body, receipt)
    return deps.userSessions.begun(userSessionId)
  }),
  getUserSession: query(getUserSession, ({ params }) => params),
  listTurns: query(listTurns, (call) => ({ ...call.query, ...call.params })),
  spawnAgent: by(spawnRoleAgent, async ({ params, body, who, deps, receipt }) => {
    const { state } = await deps.userSessions.spawn(who, { ...params, ...body }, receipt)
    return { role: body.role, state }
  }),
  promptRole: by(sendPrompt, async ({ params, body, who, deps, receipt }) => {
    const { messageId } = await deps.userSessions.prompt(who, { ...params, ...body }, receipt)
    return { messageId }
  }),
  terminateUserSession: by(terminateUserSession, async ({ params, who, deps, receipt }) => {
    await deps.userSessions.terminate(who, params, receipt)
  }),
}
