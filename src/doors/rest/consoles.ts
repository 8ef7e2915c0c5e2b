/** REST handlers of user sessions: the requests that a script makes as the relay's clients do. What happens then is told over the relay. */
import { viewerOf } from '../../domain/access/visibility.ts'
import type { userSessionRoutes } from '../../protocol/consoles/routes.ts'
import { listUserSessions } from '../../services/consoles/queries.ts'
import { listTurns } from '../../services/turns/queries.ts'
import { type HandlersOf, query } from './handler.ts'

export const userSessionHandlers: HandlersOf<typeof userSessionRoutes> = {
  listUserSessions: query(listUserSessions, (call) => ({
    ...call.query,
    accountId: viewerOf(call.who),
  })),
  createUserSession: async ({ body, who, deps, receipt }) => {
    const { userSessionId } = await deps.userSessions.create(who, body, receipt)
    return deps.userSessions.get(who, userSessionId)
  },
  getUserSession: ({ params, who, deps }) => deps.userSessions.get(who, params.userSessionId),
  listTurns: query(listTurns, (call) => ({
    ...call.query,
    ...call.params,
    accountId: viewerOf(call.who),
  })),
  spawnAgent: async ({ params, body, who, deps, receipt }) => {
    const { state } = await deps.userSessions.spawn(who, { ...params, ...body }, receipt)
    return { role: body.role, state }
  },
  promptRole: async ({ params, body, who, deps, receipt }) => {
    const { messageId } = await deps.userSessions.prompt(who, { ...params, ...body }, receipt)
    return { messageId }
  },
  terminateUserSession: async ({ params, who, deps, receipt }) => {
    await deps.userSessions.terminate(who, params, receipt)
  },
}
