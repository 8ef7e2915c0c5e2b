/** Approvals: of a project, and the inbox over all of them (AP). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { answerFields } from '../turns/question.ts'
import { Allowance } from './allowance.ts'
import {
  Approval,
  ApprovalDecision,
  ApprovalDraft,
  ApprovalResubmission,
  Hold,
} from './approval.ts'

const project = '/api/projects/{projectId}'

export const approvalRoutes = {
  listPendingApprovals: route({
    method: 'GET',
    path: '/api/approvals',
    summary: 'List what waits for a decision in any project, oldest first',
    ...listOf(Approval),
  }),
  listApprovals: route({
    method: 'GET',
    path: `${project}/approvals`,
    summary: 'List the approvals of a project, including decided ones, newest first',
    ...listOf(Approval),
  }),
  createApproval: route({
    method: 'POST',
    path: `${project}/approvals`,
    summary: 'Request an approval',
    body: ApprovalDraft,
    status: 201,
    answer: Approval,
  }),
  readApproval: route({
    method: 'GET',
    path: `${project}/approvals/{approvalId}`,
    summary: 'Read an approval',
    answer: Approval,
  }),
  decideApproval: route({
    method: 'POST',
    path: `${project}/approvals/{approvalId}/decision`,
    summary: 'Decide an approval; the first decision stands, and later ones are refused with it',
    body: ApprovalDecision,
    answer: Approval,
  }),
  takeBackDecision: route({
    method: 'DELETE',
    path: `${project}/approvals/{approvalId}/decision`,
    summary: 'Take back your decision while it is held; the approval waits again',
    answer: Approval,
  }),
  readApprovalByNumber: route({
    method: 'GET',
    path: '/api/approvals/{approvalId}',
    summary: 'Read an approval of any project',
    answer: Approval,
  }),
  decideApprovalByNumber: route({
    method: 'POST',
    path: '/api/approvals/{approvalId}/decision',
    summary: 'Decide an approval of any project; `hold` carries it out in so many seconds',
    body: ApprovalDecision,
    answer: Approval,
  }),
  takeBackDecisionByNumber: route({
    method: 'DELETE',
    path: '/api/approvals/{approvalId}/decision',
    summary: 'Take back your decision of an approval of any project while it is held',
    answer: Approval,
  }),
  resubmitApproval: route({
    method: 'POST',
    path: `${project}/approvals/{approvalId}/resubmit`,
    summary:
      'Resubmit an approval that was sent back for revision; fields left out stay as they ' + 'are',
    body: ApprovalResubmission.optional(),
    answer: Approval,
  }),
  answerQuestion: route({
    method: 'POST',
    path: '/api/questions/{questionId}/answer',
    summary:
      'Answer a question of an agent; the first answer stands, and later ones are refused ' +
      'with it',
    body: z.strictObject({ ...answerFields, hold: Hold }),
    answer: Approval,
  }),
}

/** Allowances of a project (AG6). They are given with the decision about a permission. */
export const allowanceRoutes = {
  listAllowances: route({
    method: 'GET',
    path: `${project}/allowances`,
    summary:
      'List what agents are always allowed in a project, newest first; `ended=true` adds ' +
      'what has expired or was revoked',
    ...listOf(Allowance, { ended: z.stringbool().default(false) }),
  }),
  revokeAllowance: route({
    method: 'DELETE',
    path: `${project}/allowances/{allowanceId}`,
    summary: 'Revoke an allowance; the agent asks again the next time',
    answer: Allowance,
  }),
}
