/** Lists what agents are always allowed in a project (AG6), newest first, page by page (HT1). */
import type { Allowance } from '../protocol/allowance.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { allowancesPage } from '../store/queries/allowances.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

type Input = PageQuery & { projectId: string; ended: boolean }

export const listAllowances = defineQuery({
  name: 'list-allowances',
  run: async (reader, { projectId, ended, ...page }: Input, { now }): Promise<Page<Allowance>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    return cutPage(await allowancesPage(reader, { projectId, ...pageParams(page) }, ended ? null : now), page.limit)
  },
})
