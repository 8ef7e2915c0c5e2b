/** Lists the work sessions of a project, newest first, page by page (WK3). */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { ListedWorkSession } from '../protocol/work-session.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { workSessionsPage } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { waitsForId } from './plan-record.ts'
import { noSuchProject } from './refusals.ts'

export const listWorkSessions = defineQuery({
  name: 'list-work-sessions',
  run: async (reader, { projectId, ...page }: PageQuery & { projectId: string }): Promise<Page<ListedWorkSession>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const found = await workSessionsPage(reader, projectId, pageParams(page))
    const cut = cutPageBy(found, page.limit, ({ startedAt, id }) => ({ createdAt: startedAt, id }))
    const items: ListedWorkSession[] = []
    for (const each of cut.items) items.push({ ...each, waitsFor: await waitsForId(reader, each) })
    return { ...cut, items }
  },
})
