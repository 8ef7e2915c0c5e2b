/** Lists the approvals of a project, decided ones too, newest first, page by page (HT1). */
import type { Approval } from '../protocol/approval.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { approvalKeyOf, cutApprovalsPage } from '../store/queries/approval-cursor.ts'
import { approvalsOfProject } from '../store/queries/approvals.ts'
import { selectProject } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const listApprovals = defineQuery({
  name: 'list-approvals',
  run: async (reader, { projectId, ...page }: PageQuery & { projectId: string }): Promise<Page<Approval>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const before = page.cursor === undefined ? Number.MAX_SAFE_INTEGER : approvalKeyOf(page).id
    return cutApprovalsPage(await approvalsOfProject(reader, projectId, before, page.limit + 1), page.limit)
  },
})
