/** The inbox (AP5): what waits for a person, over all projects, oldest first, page by page. */
import type { Approval } from '../protocol/approval.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { approvalKeyOf, cutApprovalsPage } from '../store/queries/approval-cursor.ts'
import { inboxPage } from '../store/queries/approvals.ts'
import { defineQuery } from '../store/store.ts'

export const listPendingApprovals = defineQuery({
  name: 'list-pending-approvals',
  run: async (reader, page: PageQuery): Promise<Page<Approval>> =>
    cutApprovalsPage(await inboxPage(reader, { ...approvalKeyOf(page), limit: page.limit + 1 }), page.limit),
})
