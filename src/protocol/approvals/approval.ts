/** Approvals on the wire (AP1, AP2). */
import * as z from 'zod'
import { permissionOutcomes } from '../consoles/user-session.ts'
import { line, longText, Time } from '../text.ts'
import { PermissionRequest } from '../turns/agent-update.ts'
import { Question, QuestionAnswer } from '../turns/question.ts'
import { AlwaysTerms } from './allowance.ts'

const approvalStatuses = ['pending', 'approved', 'rejected', 'revision_requested'] as const
const Text = longText(100_000)
const List = z.array(z.unknown()).max(1000)

/** `userSessionId` and `role` are null in a chat or task (CH12). */
const requestFields = {
  userSessionId: z.string().nullable(),
  role: z.string().nullable(),
  messageId: z.string(),
  deadline: Time,
}

export const Approval = z.object({
  id: z.number().int(),
  projectId: z.string(),
  sessionId: z.string().nullable(),
  taskId: z.string().nullable(),
  checkpointType: z.string(),
  leaderId: z.string(),
  status: z.enum(approvalStatuses),
  submittedAt: Time,
  resolvedAt: Time.nullable(),
  /** Also of a decision that is held. */
  decidedBy: z.string().nullable(),
  feedback: z.string().nullable(),
  instructionContent: z.string().nullable(),
  workerInstructions: z.array(z.unknown()),
  artifacts: z.array(z.unknown()),
  revisionHistory: z.array(z.unknown()),
  /**
   * AP15: the decision that is made and carried out at `until`. Beside another state than
   * `pending`: what was held when it was withdrawn or expired, and did not come to pass.
   */
  held: z
    .object({
      by: z.string(),
      until: Time,
      status: z.enum(['approved', 'rejected', 'revision_requested']),
    })
    .nullable(),
  /**
   * AP7: the decision came from files. `decidedBy` imported it, and this is whom the files name.
   */
  imported: z.object({ decidedBy: z.string() }).nullable(),
  /** AP4: only for tool permissions, once decided. */
  outcome: z.enum(permissionOutcomes).nullable(),
  /** AP4: the request, its context, and until when the agent waits. */
  permission: PermissionRequest.extend({
    ...requestFields,
    optionId: z.string().nullable(),
  }).nullable(),
  /** AP13: a question of the agent; `answer` is what it was told. */
  question: z
    .object({ ...Question.shape, ...requestFields, answer: QuestionAnswer.nullable() })
    .nullable(),
  /**
   * SE28: it was asked in somebody else's console: only its title and state are shown, and others
   * decide.
   */
  ofOther: z.literal(true).optional(),
})
export type Approval = z.output<typeof Approval>

const request = {
  taskId: line(200).nullish(),
  checkpointType: line(200),
  instructionContent: Text.nullish(),
  workerInstructions: List.optional(),
  artifacts: List.optional(),
}

/** A request of an agent (`request_approval`); the server knows its work session. */
export const ApprovalRequest = z.strictObject(request)

export const ApprovalDraft = z
  .strictObject({ ...request, sessionId: line(200).nullish(), leaderId: line(200) })
  .transform(({ sessionId: workSessionId, ...draft }) => ({
    ...draft,
    workSessionId: workSessionId ?? null,
  }))

/**
 * AP15: for how many seconds a decision is held before it is carried out. Without it: not. The
 * range is checked by the domain, with its own error (`invalid_hold`).
 */
export const Hold = z.number().optional()

export const ApprovalDecision = z.strictObject({
  status: z.enum(['approved', 'rejected', 'revision_requested']),
  feedback: Text.nullish(),
  /**
   * AP14: the answer to a question of an agent that comes with options; also one of the options of
   * a permission.
   */
  optionId: z.string().min(1).max(1000).optional(),
  /** AG6: for an approved permission; the same is not asked again for this time. */
  always: AlwaysTerms.optional(),
  hold: Hold,
})

/**
 * What is not omitted here must be in `Submission` of the domain, or it is accepted and dropped.
 */
export const ApprovalResubmission = ApprovalRequest.omit({ taskId: true, checkpointType: true })
