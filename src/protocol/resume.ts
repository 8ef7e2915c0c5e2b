/** Resuming a work session on the wire (RS1). */
import * as z from 'zod'
import { approachKinds } from '../domain/approach/lifecycle.ts'
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

const { id, date, category, description, details, evidence, learnings, reusable, failureReason, error } = Approach.shape
const { avoid, priority, nextToTry, note } = Approach.shape
const fields = { date, category, description, details, evidence, learnings, reusable, failureReason, error }
/** As much of it as there is room for. */
export const ToldApproach = z
  .object({ kind: z.enum(approachKinds), ...fields, avoid, priority, nextToTry, note })
  .partial()
  .extend({ id })

/** What an agent that takes the work up is told first. */
export const ResumeContext = z.object({
  previousState: z.string().nullable(),
  currentPhase: z.number().int().nullable(),
  currentTask: RememberedTask.nullable(),
  failedApproaches: z.array(ToldApproach),
  verifiedApproaches: z.array(ToldApproach),
  nextApproaches: z.array(ToldApproach),
  remainingTasks: z.array(RememberedTask),
  /** Of which there are more than fit the budget. */
  leftOut: z.object({
    failedApproaches: z.boolean(),
    verifiedApproaches: z.boolean(),
    nextApproaches: z.boolean(),
    remainingTasks: z.boolean(),
  }),
  budgetTokens: z.number().int(),
})
export type ResumeContext = z.output<typeof ResumeContext>

export const NotRestored = z.object({
  what: z.enum(['project', 'agent', 'task', 'approval', 'approach', 'artifact', 'worktree', 'conversation', 'history']),
  detail: z.string(),
})
export type NotRestored = z.output<typeof NotRestored>

export const Resumed = z.object({
  session: WorkSession,
  resumeContext: ResumeContext,
  /** What was carried over, newest first. */
  remainingTasks: z.array(Task),
  /** What could not be brought back, in words for whoever decides whether to go on. */
  notRestored: z.array(NotRestored),
})
export type Resumed = z.output<typeof Resumed>

/** What the service found, under the wire's names. */
export const resumedOnWire = ({ workSession, ...resumed }: Omit<Resumed, 'session'> & { workSession: WorkSession }): Resumed => ({
  ...resumed,
  session: workSession,
})

/** A work session that was brought back from its files (CK4). */
export const Restored = z.object({
  session: WorkSession,
  /** How many rows of each were missing and are there again. */
  restored: z.object({ tasks: z.number().int(), approvals: z.number().int(), approaches: z.number().int() }),
  notRestored: z.array(NotRestored),
})
export type Restored = z.output<typeof Restored>

export const restoredOnWire = ({
  workSession,
  ...restored
}: Omit<Restored, 'session'> & { workSession: WorkSession }): Restored => ({ ...restored, session: workSession })

/** The id of the work session that goes on. */
export const childOf = ({ session: workSession }: Pick<Resumed, 'session'>): string => workSession.id
