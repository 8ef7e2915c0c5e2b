/** User sessions: read and terminated here, everything else over the relay. */
import type { userSessionRoutes } from '../../../protocol/routes/user-sessions.ts'
import { accountOf } from '../../../services/find-user-session.ts'
import { listTurns } from '../../../services/list-turns.ts'
import { listUserSessions } from '../../../services/list-user-sessions.ts'
import { type HandlersOf, query } from '../handler.ts'

export const userSessionHandlers: HandlersOf<typeof userSessionRoutes> = {
  listUserSessions: query(listUserSessions, (call) => ({ ...call.query, accountId: accountOf(call.who) })),
  getUserSession: ({ params, who, doors }) => doors.userSessions.get(who, params.userSessionId),
  listTurns: query(listTurns, (call) => ({ ...call.query, ...call.params, accountId: accountOf(call.who) })),
  terminateUserSession: async ({ params, who, doors, receipt }) => {
    await doors.userSessions.terminate(who, params, receipt)
  },
}
