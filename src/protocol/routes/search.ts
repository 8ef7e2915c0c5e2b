/** Search over all days of all conversations (DC5). */
import type { Route } from '../route.ts'
import { SearchAnswer, SearchQuery } from '../search.ts'

export const searchRoutes = {
  search: {
    method: 'GET',
    path: '/api/search',
    scope: 'read',
    summary: 'Search the messages of all conversations and days, newest first; a page may be short of its limit and go on',
    query: SearchQuery,
    status: 200,
    answer: SearchAnswer,
  },
} as const satisfies Record<string, Route>
