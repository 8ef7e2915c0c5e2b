/** Decides approvals, and resubmits those returned for revision (AP1). */
import type * as z from 'zod'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Approval, ApprovalDecision, ApprovalResubmission } from '../../protocol/approvals/approval.ts'
import { defineUseCase } from '../../store/store.ts'
import { existingApproval, moveApproval } from './approval-record.ts'

type DecideInput = z.output<typeof ApprovalDecision> & { projectId: string; approvalId: number; by: string }

/** Decides an approval (AP1): approved, rejected, or sent back for revision. The first decision stands. */
export const decideApproval = defineUseCase({
  name: 'decide-approval',
  streams: ({ projectId }: DecideInput) => [home, projectStream(projectId)],
  run: async (tx, { by, status, feedback = null, ...place }: DecideInput, { now }): Promise<Approval> =>
    moveApproval(tx, await existingApproval(tx, place), { type: 'decide', verdict: status, by, feedback }, now),
})

type ResubmitInput = z.output<typeof ApprovalResubmission> & { projectId: string; approvalId: number }

/** Resubmits an approval that was returned for revision (AP1). It is pending again, with the earlier version in its history. */
export const resubmitApproval = defineUseCase({
  name: 'resubmit-approval',
  streams: ({ projectId }: ResubmitInput) => [home, projectStream(projectId)],
  run: async (tx, { projectId, approvalId, ...submission }: ResubmitInput, { now }): Promise<Approval> =>
    moveApproval(tx, await existingApproval(tx, { projectId, approvalId }), { type: 'resubmit', submission }, now),
})
