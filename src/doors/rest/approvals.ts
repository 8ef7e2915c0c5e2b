/** REST handlers for approvals of a project and the inbox. */
import { viewerOf } from '../../domain/access/visibility.ts'
import type { allowanceRoutes, approvalRoutes } from '../../protocol/approvals/routes.ts'
import { checkApproval } from '../../services/access/check-access.ts'
import { allowancesFor } from '../../services/access/shown-to-others.ts'
import { revokeAllowance } from '../../services/approvals/allowance-record.ts'
import {
  listAllowances,
  listApprovals,
  listPendingApprovals,
  readApproval,
} from '../../services/approvals/queries.ts'
import { createApproval, resubmitApproval } from '../../services/flows/request-approval.ts'
import { type HandlersOf, query, run } from './handler.ts'

export const approvalHandlers: HandlersOf<typeof approvalRoutes> = {
  listPendingApprovals: query(listPendingApprovals, (call) => ({
    ...call.query,
    viewer: viewerOf(call.who),
  })),
  listApprovals: query(listApprovals, (call) => ({
    ...call.query,
    ...call.params,
    viewer: viewerOf(call.who),
  })),
  createApproval: run(createApproval, ({ body, params }) => ({ ...body, ...params })),
  readApproval: query(readApproval, ({ params, who }) => ({ ...params, viewer: viewerOf(who) })),
  decideApproval: ({ body, params, who, deps, receipt }) =>
    deps.userSessions.decide(who, { ...body, ...params }, receipt),
  answerQuestion: ({ body: { action, content = null }, params, who, deps, receipt }) =>
    deps.userSessions.answerAnywhere(who, params.questionId, { action, content }, receipt),
  resubmitApproval: async ({ body, params, who, deps: { store }, receipt }) => {
    await store.query(checkApproval, { viewer: viewerOf(who), approvalId: params.approvalId })
    return store.run(resubmitApproval, { ...body, ...params }, receipt)
  },
}

export const allowanceHandlers: HandlersOf<typeof allowanceRoutes> = {
  listAllowances: query(listAllowances, (call) => ({
    ...call.query,
    ...call.params,
    viewer: viewerOf(call.who),
  })),
  revokeAllowance: async ({ params, who, deps: { store }, receipt }) => {
    const revoked = await store.run(revokeAllowance, { ...params, by: who.id }, receipt)
    const [shown = revoked] = await store.read((reader) =>
      allowancesFor(reader, viewerOf(who), [revoked]),
    )
    return shown
  },
}
