/** REST handlers for approvals of a project and the inbox. */
import type { allowanceRoutes, approvalRoutes } from '../../protocol/approvals/routes.ts'
import { revokeAllowance } from '../../services/approvals/allowance-record.ts'
import {
  listAllowances,
  listApprovals,
  listPendingApprovals,
  readApproval,
} from '../../services/approvals/queries.ts'
import { answerQuestion } from '../../services/flows/approvals/answer-permission.ts'
import { takeBackDecision } from '../../services/flows/approvals/held-decisions.ts'
import {
  createApproval,
  decideApproval,
  resubmitApproval,
} from '../../services/flows/approvals/request-approval.ts'
import { by, type HandlersOf, query, run } from './handler.ts'

export const approvalHandlers: HandlersOf<typeof approvalRoutes> = {
  listPendingApprovals: query(listPendingApprovals, (call) => call.query),
  listApprovals: query(listApprovals, (call) => ({ ...call.query, ...call.params })),
  createApproval: run(createApproval, ({ body, params }) => ({ ...body, ...params })),
  readApproval: query(readApproval, ({ params }) => params),
  decideApproval: by(decideApproval, ({ body, params, who, deps, receipt }) =>
    deps.userSessions.decide(who, { ...body, ...params }, receipt),
  ),
  takeBackDecision: run(takeBackDecision, ({ params, who }) => ({ ...params, by: who.id })),
  readApprovalByNumber: query(readApproval, ({ params }) => params),
  decideApprovalByNumber: by(decideApproval, ({ body, params, who, deps, receipt }) =>
    deps.userSessions.decide(who, { ...body, ...params }, receipt),
  ),
  takeBackDecisionByNumber: run(takeBackDecision, ({ params, who }) => ({
    ...params,
    by: who.id,
  })),
  answerQuestion: by(answerQuestion, (call) => {
    const { action, content = null, hold } = call.body
    const { questionId } = call.params
    return call.deps.userSessions.answerAnywhere(
      call.who,
      questionId,
      { action, content },
      hold,
      call.receipt,
    )
  }),
  resubmitApproval: run(resubmitApproval, ({ body, params }) => ({ ...body, ...params })),
}

export const allowanceHandlers: HandlersOf<typeof allowanceRoutes> = {
  listAllowances: query(listAllowances, (call) => ({ ...call.query, ...call.params })),
  revokeAllowance: run(revokeAllowance, ({ params, who }) => ({ ...params, by: who.id })),
}
