/** Resuming a work session on the wire (RS1). */
import * as z from 'zod'
import { approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { Notice } from '../notices.ts'
import { Time } from '../text.ts'
import { Approach } from './approach.ts'
import { Task, taskStatuses } from './task.ts'
import { WorkSession } from './work-session.ts'

export const RememberedTask = z.object({
  taskId: z.string(),
  name: z.string(),
  status: z.enum(taskStatuses),
  phase: z.number().int(),
  progressPercent: z.number().int(),
  blockedBy: z.string().nullable(),
})

export const CompletedTask = z.object({
  taskId: z.string(),
  name: z.string(),
  completedAt: Time.nullable(),
  /** As its agent gave it, or cut text of it where it is long. */
  result: z.unknown().nullable(),
})

const {
  id,
  date,
  category,
  description,
  details,
  evidence,
  learnings,
  reusable,
  failureReason,
  error,
} = Approach.shape
const { avoid, priority, nextToTry, note } = Approach.shape
const fields = {
  date,
  category,
  description,
  details,
  evidence,
  learnings,
  reusable,
  failureReason,
  error,
}
/** As much of it as fits. */
export const GivenApproach = z
  .object({ kind: z.enum(approachKinds), ...fields, avoid, priority, nextToTry, note })
  .partial()
  .extend({ id })

export const PastDecision = z.object({
  approvalId: z.number().int(),
  taskId: z.string().nullable(),
  checkpointType: z.string(),
  question: z.string().nullable(),
  status: z.enum(['pending', 'approved', 'rejected', 'revision_requested']),
  feedback: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: Time.nullable(),
})

export const ResumeContext = z.object({
  previousState: z.string().nullable(),
  currentPhase: z.number().int().nullable(),
  currentTask: RememberedTask.nullable(),
  /** Newest first; the text of older ones is left out where space is short. */
  decisions: z.array(PastDecision),
  failedApproaches: z.array(GivenApproach),
  verifiedApproaches: z.array(GivenApproach),
  nextApproaches: z.array(GivenApproach),
  remainingTasks: z.array(RememberedTask),
  /** What the work sessions of the whole line have completed, newest first. */
  completedTasks: z.array(CompletedTask),
  /** The numbers of items that did not fit the budget. */
  leftOut: z.object({
    failedApproaches: z.boolean(),
    verifiedApproaches: z.boolean(),
    nextApproaches: z.boolean(),
    remainingTasks: z.boolean(),
    completedTasks: z.boolean(),
  }),
  budgetTokens: z.number().int(),
})
export type ResumeContext = z.output<typeof ResumeContext>

export const NotRestored = z.object({
  what: z.enum([
    'project',
    'agent',
    'task',
    'approval',
    'approach',
    'artifact',
    'worktree',
    'conversation',
    'history',
  ]),
  detail: z.string(),
  notice: Notice.optional(),
})
export type NotRestored = z.output<typeof NotRestored>

/** A missing requirement of a start (RS6), with a text. */
export const Missing = z.object({
  what: z.enum(['agent', 'machine', 'task', 'role']),
  detail: z.string(),
  notice: Notice.optional(),
})
export type Missing = z.output<typeof Missing>

/** RS7: what a resume would do. */
export const ResumePreview = z.object({
  agents: z.array(
    z.object({
      agentId: z.string().nullable().describe('null: the tasks have no agent'),
      task: z
        .object({ id: z.string(), title: z.string(), progressPercent: z.number().int() })
        .describe('What it begins with'),
      taskCount: z.number().int().describe('Of its tasks that are ready'),
      missing: Missing.nullable().describe('Why it does not start; null: it does'),
    }),
  ),
  missing: z
    .array(Missing)
    .describe('What is needed before anything starts; empty: something does'),
  tasks: z.object({
    completed: z.number().int(),
    continuing: z.number().int(),
    ready: z.number().int(),
    waiting: z.number().int(),
    failed: z.number().int(),
  }),
  learned: z
    .object({ verified: z.number().int(), failed: z.number().int(), decisions: z.number().int() })
    .describe('What its agents are told first, by number'),
})
export type ResumePreview = z.output<typeof ResumePreview>

export const Resumed = z.object({
  session: WorkSession,
  resumeContext: ResumeContext,
  decisions: z.array(PastDecision),
  remainingTasks: z.array(Task),
  notRestored: z.array(NotRestored),
  missing: z.array(Missing),
})
export type Resumed = z.output<typeof Resumed>

export const Restored = z.object({
  session: WorkSession,
  restored: z.object({
    tasks: z.number().int(),
    approvals: z.number().int(),
    approaches: z.number().int(),
  }),
  notRestored: z.array(NotRestored),
})
export type Restored = z.output<typeof Restored>

/** The work session that continues. */
export const workSessionIn = ({ session: workSession }: Pick<Resumed, 'session'>): WorkSession =>
  workSession

/** The id of the work session that continues. */
export const childOf = ({ session: workSession }: Pick<Resumed, 'session'>): string =>
  workSession.id
