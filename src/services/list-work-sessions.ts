/** Lists the work sessions of a project, newest first, page by page (WK3). */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { WorkSession } from '../protocol/work-session.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { workSessionsPage } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const listWorkSessions = defineQuery({
  name: 'list-work-sessions',
  run: async (reader, { projectId, ...page }: PageQuery & { projectId: string }): Promise<Page<WorkSession>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const found = await workSessionsPage(reader, projectId, pageParams(page))
    return cutPageBy(found, page.limit, ({ startedAt, id }) => ({ createdAt: startedAt, id }))
  },
})
