/** Approvals: of a project, and the inbox over all of them (AP). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { answerFields } from '../turns/question.ts'
import { Allowance } from './allowance.ts'
import { Approval, ApprovalDecision, ApprovalDraft, ApprovalResubmission } from './approval.ts'

const project = '/api/projects/{projectId}'

export const approvalRoutes = {
  listPendingApprovals: route('GET /api/approvals', 'read', listOf(Approval))`
    The inbox: what waits for a decision in any project, oldest first`,
  listApprovals: route(`GET ${project}/approvals`, 'read', listOf(Approval))`
    List the approvals of a project, decided ones too, newest first`,
  createApproval: route(`POST ${project}/approvals`, 'write', {
    body: ApprovalDraft,
    status: 201,
    answer: Approval,
  })`
    Ask for an approval`,
  readApproval: route(`GET ${project}/approvals/{approvalId}`, 'read', {
    answer: Approval,
  })`Read an approval`,
  decideApproval: route(`POST ${project}/approvals/{approvalId}/decision`, 'approve', {
    body: ApprovalDecision,
    answer: Approval,
  })`
    Decide an approval; the first decision stands, later ones are told of it`,
  resubmitApproval: route(`POST ${project}/approvals/{approvalId}/resubmit`, 'write', {
    body: ApprovalResubmission.optional(),
    answer: Approval,
  })`
    Submit again what was sent back for revision; what is not named stays`,
  answerQuestion: route('POST /api/questions/{questionId}/answer', 'approve', {
    body: z.strictObject(answerFields),
    answer: Approval,
  })`
    Answer a question of an agent; the first answer stands, later ones are told of it`,
}

/** Allowances of a project (AG6). They are given with the decision about a permission. */
export const allowanceRoutes = {
  listAllowances: route(
    `GET ${project}/allowances`,
    'read',
    listOf(Allowance, { ended: z.stringbool().default(false) }),
  )`
    List what agents are always allowed in a project, newest first; \`ended=true\` adds what has expired or was revoked`,
  revokeAllowance: route(`DELETE ${project}/allowances/{allowanceId}`, 'approve', {
    answer: Allowance,
  })`
    Revoke it: the next time the agent asks again`,
}
