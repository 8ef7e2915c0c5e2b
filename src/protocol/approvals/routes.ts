/** Approvals: of a project, and the inbox over all of them (AP). */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { answerFields } from '../turns/question.ts'
import { Allowance } from './allowance.ts'
import { Approval, ApprovalDecision, ApprovalDraft, ApprovalResubmission } from './approval.ts'

const project = z.object({ projectId: z.string().max(200) })
const approval = project.extend({
  approvalId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'is not the number of an approval')
    .transform(Number),
})

export const approvalRoutes = {
  listPendingApprovals: {
    method: 'GET',
    path: '/api/approvals',
    scope: 'read',
    summary: 'The inbox: what waits for a decision in any project, oldest first',
    query: PageQuery,
    status: 200,
    answer: pageOf(Approval),
  },
  listApprovals: {
    method: 'GET',
    path: '/api/projects/{projectId}/approvals',
    scope: 'read',
    summary: 'List the approvals of a project, decided ones too, newest first',
    params: project,
    query: PageQuery,
    status: 200,
    answer: pageOf(Approval),
  },
  createApproval: {
    method: 'POST',
    path: '/api/projects/{projectId}/approvals',
    scope: 'write',
    summary: 'Ask for an approval',
    params: project,
    body: ApprovalDraft,
    status: 201,
    answer: Approval,
  },
  readApproval: {
    method: 'GET',
    path: '/api/projects/{projectId}/approvals/{approvalId}',
    scope: 'read',
    summary: 'Read an approval',
    params: approval,
    status: 200,
    answer: Approval,
  },
  decideApproval: {
    method: 'POST',
    path: '/api/projects/{projectId}/approvals/{approvalId}/decision',
    scope: 'approve',
    summary: 'Decide an approval; the first decision stands, later ones are told of it',
    params: approval,
    body: ApprovalDecision,
    status: 200,
    answer: Approval,
  },
  resubmitApproval: {
    method: 'POST',
    path: '/api/projects/{projectId}/approvals/{approvalId}/resubmit',
    scope: 'write',
    summary: 'Submit again what was sent back for revision; what is not named stays',
    params: approval,
    body: ApprovalResubmission.optional(),
    status: 200,
    answer: Approval,
  },
  answerQuestion: {
    method: 'POST',
    path: '/api/questions/{questionId}/answer',
    scope: 'approve',
    summary: 'Answer a question of an agent; the first answer stands, later ones are told of it',
    params: z.object({ questionId: approval.shape.approvalId }),
    body: z.strictObject(answerFields),
    status: 200,
    answer: Approval,
  },
} as const satisfies Record<string, Route>

/** Allowances of a project (AG6). They are given with the decision about a permission. */
export const allowanceRoutes = {
  listAllowances: {
    method: 'GET',
    path: '/api/projects/{projectId}/allowances',
    scope: 'read',
    summary: 'List what agents are always allowed in a project, newest first; `ended=true` adds what has expired or was revoked',
    params: project,
    query: PageQuery.extend({ ended: z.stringbool().default(false) }),
    status: 200,
    answer: pageOf(Allowance),
  },
  revokeAllowance: {
    method: 'DELETE',
    path: '/api/projects/{projectId}/allowances/{allowanceId}',
    scope: 'approve',
    summary: 'Revoke it: the next time the agent asks again',
    params: project.extend({ allowanceId: z.string().max(200) }),
    status: 200,
    answer: Allowance,
  },
} as const satisfies Record<string, Route>
