/**
 * A new approval, whoever asks: a person or script (`create-approval`) or an agent (`request-approval`). It is durable, with its
 * number, before anybody is shown it (AP3); told in its project and at home.
 */
import type { Instant } from '../domain/instant.ts'
import { home, projectStream } from '../domain/stream/name.ts'
import type { Approval } from '../protocol/approval.ts'
import {
  type ApprovalRow,
  approvalOf,
  insertApproval,
  nextApprovalId,
  noPermission,
  type PermissionColumns,
} from '../store/queries/approvals.ts'
import type { Tx } from '../store/store.ts'

interface Asked {
  readonly projectId: string
  readonly workSessionId: string | null
  readonly taskId: string | null
  readonly checkpointType: string
  readonly leaderId: string
  readonly agentSessionId: string | null
  readonly conversationKey?: string | null | undefined
  readonly instructionContent?: string | null | undefined
  readonly workerInstructions?: readonly unknown[] | undefined
  readonly artifacts?: readonly unknown[] | undefined
  readonly permission?: PermissionColumns
}

/** The use case names `home`, behind whose lock approvals are numbered, and the project's stream. */
export async function askForApproval(tx: Tx, asked: Asked, now: Instant): Promise<Approval> {
  const row: ApprovalRow = {
    id: await nextApprovalId(tx),
    session_id: asked.workSessionId,
    project_id: asked.projectId,
    checkpoint_type: asked.checkpointType,
    leader_id: asked.leaderId,
    task_id: asked.taskId,
    asked_by_agent_session_id: asked.agentSessionId,
    told_to: null,
    conversation_key: asked.conversationKey ?? null,
    status: 'pending',
    submitted_at: now,
    resolved_at: null,
    decided_by: null,
    feedback: null,
    instruction_content: asked.instructionContent ?? null,
    worker_instructions: JSON.stringify(asked.workerInstructions ?? []),
    artifacts: JSON.stringify(asked.artifacts ?? []),
    revision_history: '[]',
    imported_decider: null,
    ...(asked.permission ?? noPermission),
  }
  await tx.write(insertApproval, row)
  const approval = approvalOf(row)
  tx.append(projectStream(row.project_id), { type: 'approval-asked', data: { approval } }, [home])
  return approval
}
