/** Search over all conversations. */
import type { searchRoutes } from '../../../protocol/routes/search.ts'
import { searchMessages } from '../../../services/search-messages.ts'
import type { HandlersOf } from '../handler.ts'

const dayMs = 24 * 60 * 60 * 1000

export const searchHandlers: HandlersOf<typeof searchRoutes> = {
  search: async ({ query, doors }) => {
    const { from, to, ...wanted } = query
    const behind = await doors.search.catchUp()
    const fromMs = from === undefined ? undefined : Date.parse(from)
    const toMs = to === undefined ? undefined : Date.parse(to) + dayMs
    return { ...(await doors.store.query(searchMessages, { ...wanted, fromMs, toMs })), behind }
  },
}
