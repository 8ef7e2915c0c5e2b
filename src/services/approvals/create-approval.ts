/** Requests an approval on behalf of a leader (AP2), optionally about a task or work session. */
import type * as z from 'zod'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Approval, ApprovalDraft } from '../../protocol/approvals/approval.ts'
import { selectProject } from '../../store/projects/projects.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchProject } from '../refusals.ts'
import { existingTask } from '../work/task-record.ts'
import { existingWorkSession } from '../work/work-session-record.ts'
import { addApproval } from './approval-record.ts'

type Input = z.output<typeof ApprovalDraft> & { projectId: string }

export const createApproval = defineUseCase({
  name: 'create-approval',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, input: Input, { now }): Promise<Approval> => {
    const { projectId, workSessionId, taskId = null } = input
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    if (workSessionId !== null) await existingWorkSession(tx, { projectId, workSessionId })
    if (taskId !== null) await existingTask(tx, { projectId, taskId })
    return addApproval(tx, { ...input, taskId, agentSessionId: null }, now)
  },
})
