/**
 * A person answers what an agent asks (AP4): by one of the options it offered, or by yes or no, which stands for the mildest option of
 * that kind. Exactly one answer wins; whoever comes later is told who decided what.
 */
import { optionFor, outcomeOf } from '../domain/approval/permission.ts'
import { Refusal } from '../domain/errors.ts'
import type { Approval } from '../protocol/approval.ts'
import { type ApprovalRow, approvalOf, selectApproval } from '../store/queries/approvals.ts'
import { defineUseCase } from '../store/store.ts'
import type { WhichPermission } from './find-permission.ts'
import { permissionStreams, settlePermission } from './permission-record.ts'
import { noSuchApproval } from './refusals.ts'

export type PermissionChoice = { readonly optionId: string } | { readonly choose: 'allow' | 'deny' }

interface Input extends WhichPermission {
  readonly choice: PermissionChoice
  readonly feedback?: string | null | undefined
  readonly by: string
  readonly requestId?: string | undefined
}

export const answerPermission = defineUseCase({
  name: 'answer-permission',
  streams: (input: Input) => permissionStreams(input),
  run: async (tx, { userSessionId, approvalId, choice, feedback, by, requestId }, context) => {
    const row = await tx.first(selectApproval, { id: approvalId })
    if (!row || row.user_session_id !== userSessionId) throw noSuchApproval(approvalId)
    const settlement = { ...settlementOf(row, choice), by, feedback: feedback ?? null, requestId }
    const seq = await settlePermission(tx, row, settlement, context.now)
    const settled = await tx.first(selectApproval, { id: approvalId })
    return { seq, approval: approvalOf(settled ?? row) as Approval }
  },
})

function settlementOf(row: ApprovalRow, choice: PermissionChoice): { outcome: 'allowed' | 'denied'; optionId: string | null } {
  const options = JSON.parse(row.options ?? '[]')
  if ('choose' in choice) {
    const optionId = optionFor(choice.choose, options)
    if (choice.choose === 'deny') return { outcome: 'denied', optionId }
    if (optionId === null) throw new Refusal('wrong_state', 'The agent has offered no way to allow it')
    return { outcome: 'allowed', optionId }
  }
  const { optionId } = choice
  const outcome = outcomeOf(optionId, options)
  if (!outcome) throw new Refusal('invalid_request', `optionId: the agent has not offered ${optionId}`, { field: 'optionId' })
  return { outcome, optionId }
}
