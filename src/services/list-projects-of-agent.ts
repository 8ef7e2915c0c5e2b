/** Lists the projects that an agent works on, newest first, page by page (MC4). */
import type { Page, PageQuery } from '../protocol/page.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { type NamedProject, projectsOfAgentPage } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'

export const listProjectsOfAgent = defineQuery({
  name: 'list-projects-of-agent',
  run: async (reader, { agentId, ...page }: PageQuery & { agentId: string }): Promise<Page<NamedProject>> =>
    cutPage(await projectsOfAgentPage(reader, agentId, pageParams(page)), page.limit),
})
