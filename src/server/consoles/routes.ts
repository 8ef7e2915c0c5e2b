/** REST handlers to read and terminate user sessions; everything else goes over the relay. */
import type { userSessionRoutes } from '../../protocol/consoles/routes.ts'
import { accountOf, listUserSessions } from '../../services/consoles/queries.ts'
import { listTurns } from '../../services/turns/queries.ts'
import { type HandlersOf, query } from '../http/handler.ts'

export const userSessionHandlers: HandlersOf<typeof userSessionRoutes> = {
  listUserSessions: query(listUserSessions, (call) => ({ ...call.query, accountId: accountOf(call.who) })),
  getUserSession: ({ params, who, deps }) => deps.userSessions.get(who, params.userSessionId),
  listTurns: query(listTurns, (call) => ({ ...call.query, ...call.params, accountId: accountOf(call.who) })),
  terminateUserSession: async ({ params, who, deps, receipt }) => {
    await deps.userSessions.terminate(who, params, receipt)
  },
}
