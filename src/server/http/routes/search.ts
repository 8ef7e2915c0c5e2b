/** Search over all conversations. */
import type { searchRoutes } from '../../../protocol/routes/search.ts'
import { accountOf } from '../../../services/find-user-session.ts'
import { searchMessages } from '../../../services/search-messages.ts'
import type { HandlersOf } from '../handler.ts'

export const searchHandlers: HandlersOf<typeof searchRoutes> = {
  search: async ({ query, doors, who }) => {
    const behind = await doors.search.catchUp()
    return { ...(await doors.store.query(searchMessages, { ...query, accountId: accountOf(who) })), behind }
  },
}
