/** REST handlers for approvals of a project and the inbox. */
import type { allowanceRoutes, approvalRoutes } from '../../protocol/approvals/routes.ts'
import { revokeAllowance } from '../../services/approvals/allowance-record.ts'
import { listAllowances, listApprovals, listPendingApprovals, readApproval } from '../../services/approvals/queries.ts'
import { createApproval, resubmitApproval } from '../../services/approvals/request-approval.ts'
import { type HandlersOf, query, run } from '../http/handler.ts'

export const approvalHandlers: HandlersOf<typeof approvalRoutes> = {
  listPendingApprovals: query(listPendingApprovals, (call) => call.query),
  listApprovals: query(listApprovals, (call) => ({ ...call.query, ...call.params })),
  createApproval: run(createApproval, ({ body, params }) => ({ ...body, ...params })),
  readApproval: query(readApproval, ({ params }) => params),
  decideApproval: ({ body, params, who, deps, receipt }) => deps.userSessions.decide(who, { ...body, ...params }, receipt),
  answerQuestion: ({ body: { action, content = null }, params, who, deps, receipt }) =>
    deps.userSessions.answerAnywhere(who, params.questionId, { action, content }, receipt),
  resubmitApproval: run(resubmitApproval, ({ body, params }) => ({ ...body, ...params })),
}

export const allowanceHandlers: HandlersOf<typeof allowanceRoutes> = {
  listAllowances: query(listAllowances, (call) => ({ ...call.query, ...call.params })),
  revokeAllowance: run(revokeAllowance, ({ params, who }) => ({ ...params, by: who.id })),
}
