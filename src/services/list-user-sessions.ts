/** Lists the user sessions that are not terminated, or those that are, newest first: one's own, or everybody's for who manages the installation. */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { UserSession } from '../protocol/user-session.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { type UserSessionsFilter, userSessionsPage } from '../store/queries/user-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { userSessionView } from './user-session-view.ts'

export const listUserSessions = defineQuery({
  name: 'list-user-sessions',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & UserSessionsFilter): Promise<Page<UserSession>> => {
    const found: UserSession[] = []
    for (const row of await userSessionsPage(reader, filter, pageParams({ limit, cursor })))
      found.push(await userSessionView(reader, row))
    return cutPage(found, limit)
  },
})
