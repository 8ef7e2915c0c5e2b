/** Lists the projects, newest first, page by page (HT1). */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { Project } from '../protocol/project.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { projectsPage } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'

export const listProjects = defineQuery({
  name: 'list-projects',
  run: async (reader, input: PageQuery): Promise<Page<Project>> =>
    cutPage(await projectsPage(reader, pageParams(input)), input.limit),
})
