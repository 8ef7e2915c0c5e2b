/** Work sessions on the wire (`/sessions` in REST): one execution of work, with lineage (WK1). */
import * as z from 'zod'
import { Approval } from '../approvals/approval.ts'
import { Notice } from '../notices.ts'
import { line, longText, Time } from '../text.ts'
import { Approach } from './approach.ts'
import { Artifact } from './artifact.ts'
import { Checkpoint, WorkError } from './checkpoint.ts'
import { Task } from './task.ts'

export const WorkSession = z.object({
  id: z.string(),
  projectId: z.string(),
  parentSessionId: z.string().nullable(),
  state: z.enum(['running', 'interrupted', 'completed']),
  startedAt: Time,
  endedAt: Time.nullable(),
  interruptionReason: z.string().nullable(),
  currentPhase: z.number().int().nullable(),
  currentAgentRole: z.string().nullable(),
  currentAgentType: z.string().nullable(),
  currentTaskId: z.string().nullable(),
  contextSummary: z.string().nullable(),
  /** The newest work session resumed from it. */
  resumedBy: z.string().nullable(),
  /** Why it is no longer resumed (RS3). */
  setAside: z.string().nullable(),
  /** A person dismissed the reminder (WK6); it can still be resumed. */
  dismissedAt: Time.nullable(),
  /** Why an entry in its approaches.json was not imported (AR3); the file is left as it is. */
  fileProblem: z.string().nullable(),
  notice: Notice.nullish(),
  error: WorkError.nullable(),
  /** One line for a list (WK3). */
  stateSummary: z.string(),
})
export type WorkSession = z.output<typeof WorkSession>

/**
 * The most items of each list in a whole work session, newest first; the rest is read page by page.
 */
export const wholeListLimit = 1000

/** What must happen before it continues (WK5). */
export const WaitsFor = z.discriminatedUnion('what', [
  z.object({ what: z.literal('approval'), approvalId: z.number().int() }),
  /** An agent that is not working; null: it has only its role, no task. */
  z.object({ what: z.literal('agent'), agentId: z.string(), taskId: z.string().nullable() }),
  /** A task that is not assigned or belongs to another work session; null when there is none. */
  z.object({ what: z.literal('task'), taskId: z.string().nullable() }),
])
export type WaitsFor = z.output<typeof WaitsFor>

export const ListedWorkSession = WorkSession.extend({
  waitsFor: z.array(WaitsFor),
})
export type ListedWorkSession = z.output<typeof ListedWorkSession>

/** A work session with everything that belongs to it (WK3). */
export const WholeWorkSession = ListedWorkSession.extend({
  tasks: z.array(Task),
  approvals: z.array(Approval),
  /** Including inherited ones (AR2). */
  approaches: z.array(Approach),
  checkpoints: z.array(Checkpoint),
  artifacts: z.array(Artifact),
  children: z.array(WorkSession),
})
export type WholeWorkSession = z.output<typeof WholeWorkSession>

export const WorkSessionDraft = z.strictObject({
  contextSummary: longText(100_000).nullish(),
  phase: z.int().min(0).max(1_000_000).nullish(),
  agentRole: line(200).nullish(),
  agentType: line(200).nullish(),
})
export const WorkSessionEnd = z.strictObject({
  reason: line(200).optional(),
  completed: z.boolean().optional(),
})
