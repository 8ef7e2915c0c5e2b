/** Decides approvals, and resubmits those returned for revision (AP1). */
import type * as z from 'zod'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Approval, ApprovalDecision, ApprovalDraft, ApprovalResubmission } from '../../protocol/approvals/approval.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchProject } from '../refusals.ts'
import { existingTask } from '../work/task-record.ts'
import { existingWorkSession } from '../work/work-session-record.ts'
import { addApproval, existingApproval, moveApproval } from './approval-record.ts'

type DecideInput = z.output<typeof ApprovalDecision> & { projectId: string; approvalId: number; by: string }

/** Decides an approval (AP1): approved, rejected, or sent back for revision. The first decision stands. */
export const decideApproval = defineUseCase('decide-approval', {
  streams: ({ projectId }: DecideInput) => [home, projectStream(projectId)],
  run: async (tx, { by, status, feedback = null, ...place }: DecideInput, { now }): Promise<Approval> =>
    moveApproval(tx, await existingApproval(tx, place), { type: 'decide', verdict: status, by, feedback }, now),
})

type ResubmitInput = z.output<typeof ApprovalResubmission> & { projectId: string; approvalId: number }

/** Resubmits an approval that was returned for revision (AP1). It is pending again, with the earlier version in its history. */
export const resubmitApproval = defineUseCase('resubmit-approval', {
  streams: ({ projectId }: ResubmitInput) => [home, projectStream(projectId)],
  run: async (tx, { projectId, approvalId, ...submission }: ResubmitInput, { now }): Promise<Approval> =>
    moveApproval(tx, await existingApproval(tx, { projectId, approvalId }), { type: 'resubmit', submission }, now),
})

type Input = z.output<typeof ApprovalDraft> & { projectId: string }

/** Requests an approval on behalf of a leader (AP2), optionally about a task or work session. */
export const createApproval = defineUseCase('create-approval', {
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, input: Input, { now }): Promise<Approval> => {
    const { projectId, workSessionId, taskId = null } = input
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    if (workSessionId !== null) await existingWorkSession(tx, { projectId, workSessionId })
    if (taskId !== null) await existingTask(tx, { projectId, taskId })
    return addApproval(tx, { ...input, taskId, agentSessionId: null }, now)
  },
})
