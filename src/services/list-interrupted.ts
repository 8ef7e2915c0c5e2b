/** What was interrupted and not taken up since, over all projects, newest first (UI1). */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { WorkSession } from '../protocol/work-session.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { workSessionsToResume } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'

export const listInterrupted = defineQuery({
  name: 'list-interrupted',
  run: async (reader, page: PageQuery): Promise<Page<WorkSession>> =>
    cutPageBy(await workSessionsToResume(reader, pageParams(page)), page.limit, ({ startedAt, id }) => ({
      createdAt: startedAt,
      id,
    })),
})
