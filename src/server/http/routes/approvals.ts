/** Approvals of a project and the inbox. */
import type { approvalRoutes } from '../../../protocol/routes/approvals.ts'
import { createApproval } from '../../../services/create-approval.ts'
import { listApprovals } from '../../../services/list-approvals.ts'
import { listPendingApprovals } from '../../../services/list-pending-approvals.ts'
import { readApproval } from '../../../services/read-approval.ts'
import { resubmitApproval } from '../../../services/resubmit-approval.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const approvalHandlers: HandlersOf<typeof approvalRoutes> = {
  listPendingApprovals: query(listPendingApprovals, (call) => call.query),
  listApprovals: query(listApprovals, (call) => ({ ...call.query, ...call.params })),
  createApproval: run(createApproval, ({ body, params }) => ({ ...body, ...params })),
  readApproval: query(readApproval, ({ params }) => params),
  decideApproval: ({ body, params, who, doors, receipt }) => doors.userSessions.decide(who, { ...body, ...params }, receipt),
  resubmitApproval: run(resubmitApproval, ({ body, params }) => ({ ...body, ...params })),
}
