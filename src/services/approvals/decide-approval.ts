/** Decides an approval (AP1): approved, rejected, or sent back for revision. The first decision stands. */
import type * as z from 'zod'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Approval, ApprovalDecision } from '../../protocol/approvals/approval.ts'
import { defineUseCase } from '../../store/store.ts'
import { existingApproval, moveApproval } from './approval-record.ts'

type Input = z.output<typeof ApprovalDecision> & { projectId: string; approvalId: number; by: string }

export const decideApproval = defineUseCase({
  name: 'decide-approval',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { by, status, feedback = null, ...place }: Input, { now }): Promise<Approval> =>
    moveApproval(tx, await existingApproval(tx, place), { type: 'decide', verdict: status, by, feedback }, now),
})
