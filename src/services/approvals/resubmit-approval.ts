/** Resubmits an approval that was returned for revision (AP1). It is pending again, with the earlier version in its history. */
import type * as z from 'zod'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Approval, ApprovalResubmission } from '../../protocol/approvals/approval.ts'
import { defineUseCase } from '../../store/store.ts'
import { existingApproval, moveApproval } from './approval-record.ts'

type Input = z.output<typeof ApprovalResubmission> & { projectId: string; approvalId: number }

export const resubmitApproval = defineUseCase({
  name: 'resubmit-approval',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, approvalId, ...submission }: Input, { now }): Promise<Approval> =>
    moveApproval(tx, await existingApproval(tx, { projectId, approvalId }), { type: 'resubmit', submission }, now),
})
