/** Search over all conversations. */
import type { searchRoutes } from '../../../protocol/routes/search.ts'
import { searchMessages } from '../../../services/search-messages.ts'
import type { HandlersOf } from '../handler.ts'

export const searchHandlers: HandlersOf<typeof searchRoutes> = {
  search: async ({ query, doors }) => {
    const behind = await doors.search.catchUp()
    return { ...(await doors.store.query(searchMessages, query)), behind }
  },
}
