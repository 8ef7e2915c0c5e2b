/** Requests approvals, decides them, and submits them again (AP1, AP2). */
import type * as z from 'zod'
import type { Submission, Verdict } from '../../../domain/approvals/lifecycle.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import type {
  Approval,
  ApprovalDraft,
  ApprovalRequest,
  ApprovalResubmission,
} from '../../../protocol/approvals/approval.ts'
import { approvalOf, selectPendingOfAgent } from '../../../store/approvals/approvals.ts'
import { defineUseCase, type Reader } from '../../../store/store.ts'
import { selectTaskAtHand } from '../../../store/work/tasks.ts'
import { liveAgentSession } from '../../agent-sessions/agent-session-record.ts'
import {
  addApproval,
  approvalOfAgent,
  existingApproval,
  isOfCaller,
  moveApproval,
} from '../../approvals/approval-record.ts'
import { askInChat } from '../../channels/ask-record.ts'
import { type ContextCaller, ownConversation } from '../../conversations/own-conversation.ts'
import { noSuchProject } from '../../refusals.ts'
import { existingTask, taskOfAgent } from '../../work/change-task.ts'
import { existingWorkSession } from '../../work/end-work-session.ts'
import { decideRequest, holdDecision } from './decide-request.ts'

type Input = ContextCaller & z.output<typeof ApprovalRequest> & { approvalId?: number | undefined }

/**
 * Requests an approval for an agent (`request_approval`), tied to its work session (WK4) and
 * current task. With the id of a returned one it resubmits that. An identical pending request
 * returns the same approval, so that retries (AS8) and restarted processes ask once.
 */
export const requestApproval = defineUseCase('request-approval', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, input: Input, { now }): Promise<Approval> => {
    const { agentSessionId, agentId, projectId, approvalId, checkpointType } = input
    const { workSessionId } = await liveAgentSession(tx, input)
    const taskId = await aboutTask(tx, input, workSessionId)
    const same = await sameRequest(tx, input, taskId)
    // The latest asker is the one that waits.
    if (same) {
      await tx.update('human_approvals', { id: same.id, asked_by_agent_session_id: agentSessionId })
      return same
    }
    const { instructionContent, workerInstructions, artifacts } = input
    const submission = { instructionContent, workerInstructions, artifacts }
    if (approvalId !== undefined) {
      const row = await approvalOfAgent(tx, { projectId, approvalId }, input)
      await tx.update('human_approvals', {
        id: approvalId,
        asked_by_agent_session_id: agentSessionId,
      })
      return moveApproval(tx, row, { type: 'resubmit', submission }, now)
    }
    const conversationKey = workSessionId === null ? (await ownConversation(tx, input)).key : null
    const content = {
      conversationKey,
      projectId,
      workSessionId,
      taskId,
      checkpointType,
      leaderId: agentId,
      agentSessionId,
      ...submission,
    }
    const approval = await addApproval(tx, content, now)
    if (conversationKey !== null) await askInChat(tx, conversationKey, approval.id, now)
    return approval
  },
})

/** The named task, which must be its own, or its current one. */
async function aboutTask(
  reader: Reader,
  input: Input,
  workSessionId: string | null,
): Promise<string | null> {
  const { projectId, agentId, taskId } = input
  if (taskId) return (await taskOfAgent(reader, { projectId, taskId }, agentId)).id
  return (await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId }))?.id ?? null
}

async function sameRequest(
  reader: Reader,
  input: Input,
  taskId: string | null,
): Promise<Approval | undefined> {
  const { projectId, agentId } = input
  for (const row of await reader.all(selectPendingOfAgent, { projectId, agentId })) {
    const pending = approvalOf(row)
    if (isSameRequest(pending, input, taskId) && (await isOfCaller(reader, row, input)))
      return pending
  }
  return undefined
}

function isSameRequest(pending: Approval, input: Input, taskId: string | null): boolean {
  const { approvalId, checkpointType } = input
  // Fields left out of a resubmission keep their values.
  if (approvalId !== undefined)
    return (
      pending.id === approvalId && contentOf({ ...pending, ...named(input) }) === contentOf(pending)
    )
  return (
    pending.checkpointType === checkpointType &&
    pending.taskId === taskId &&
    contentOf(pending) === contentOf(input)
  )
}

const named = (input: Input): Partial<Input> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

const contentOf = ({
  instructionContent,
  workerInstructions,
  artifacts,
}: Partial<Submission> | Input): string =>
  JSON.stringify([instructionContent ?? null, workerInstructions ?? [], artifacts ?? []])

interface DecideInput {
  readonly projectId?: string | undefined
  readonly approvalId: number
  readonly status: Verdict
  readonly feedback?: string | null | undefined
  readonly by: string
  /** AP15: for how many seconds it is held. */
  readonly hold?: number | undefined
}

/**
 * Decides an approval (AP1): approved, rejected, or sent back for revision. The first decision
 * stands.
 */
export const decideApproval = defineUseCase('decide-approval', {
  scope: 'approve',
  on: 'approval',
  streams: ({ projectId }: DecideInput) =>
    projectId === undefined ? [home] : [home, projectStream(projectId)],
  run: async (
    tx,
    { by, status, feedback = null, hold, ...place }: DecideInput,
    { now },
  ): Promise<Approval> => {
    const row = await existingApproval(tx, place)
    if (hold === undefined)
      return decideRequest(tx, row, { type: 'decide', verdict: status, by, feedback }, now)
    const decision = { kind: 'approval', status, feedback } as const
    return (await holdDecision(tx, row, { decision, status, by, seconds: hold }, now)).approval
  },
})

type ResubmitInput = z.output<typeof ApprovalResubmission> & {
  projectId: string
  approvalId: number
}

/**
 * Resubmits an approval that was returned for revision (AP1). It is pending again, with the earlier
 * version in its history.
 */
export const resubmitApproval = defineUseCase('resubmit-approval', {
  scope: 'write',
  on: 'approval',
  streams: ({ projectId }: ResubmitInput) => [home, projectStream(projectId)],
  run: async (
    tx,
    { projectId, approvalId, ...submission }: ResubmitInput,
    { now },
  ): Promise<Approval> =>
    moveApproval(
      tx,
      await existingApproval(tx, { projectId, approvalId }),
      { type: 'resubmit', submission },
      now,
    ),
})

type CreateInput = z.output<typeof ApprovalDraft> & { projectId: string }

/** Requests an approval on behalf of a leader (AP2), optionally about a task or work session. */
export const createApproval = defineUseCase('create-approval', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: CreateInput) => [home, projectStream(projectId)],
  run: async (tx, input: CreateInput, { now }): Promise<Approval> => {
    const { projectId, workSessionId, taskId = null } = input
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    if (workSessionId !== null) await existingWorkSession(tx, { projectId, workSessionId })
    if (taskId !== null) await existingTask(tx, { projectId, taskId })
    return addApproval(tx, { ...input, taskId, agentSessionId: null }, now)
  },
})
