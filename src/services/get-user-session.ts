/** Reads a user session, also one that is terminated (US4); to another account it is not there. */
import type { UserSession } from '../protocol/user-session.ts'
import { selectUserSession } from '../store/queries/user-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchUserSession } from './user-session-record.ts'
import { userSessionView } from './user-session-view.ts'

export const getUserSession = defineQuery({
  name: 'get-user-session',
  run: async (reader, asked: { userSessionId: string; accountId: string | null }): Promise<UserSession> => {
    const row = await reader.first(selectUserSession, { id: asked.userSessionId })
    if (!row || (asked.accountId !== null && row.account_id !== asked.accountId)) throw noSuchUserSession(asked.userSessionId)
    return userSessionView(reader, row)
  },
})
