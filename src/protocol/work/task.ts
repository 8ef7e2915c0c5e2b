/** Tasks on the wire (TK1). */

import * as z from 'zod'
import { jsonUpTo } from '../notices.ts'
import { line, longText, Time } from '../text.ts'

export const taskStatuses = ['pending', 'in_progress', 'completed', 'failed', 'blocked'] as const

export const Task = z.object({
  id: z.string(),
  projectId: z.string(),
  /** null until an agent starts it (WK4). */
  sessionId: z.string().nullable(),
  phase: z.number().int(),
  type: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  status: z.enum(taskStatuses),
  progressPercent: z.number().int(),
  assignedTo: z.string().nullable(),
  dependsOn: z.array(z.string()),
  /** The first unfinished one. */
  blockedBy: z.string().nullable(),
  startedAt: Time.nullable(),
  completedAt: Time.nullable(),
  result: z.unknown().nullable(),
  createdAt: Time,
  updatedAt: Time,
})
export type Task = z.output<typeof Task>

/** May name a task that does not exist yet, so that plans can be written in any order. */
const DependsOn = z.array(line(200)).max(1000)
const Result = jsonUpTo(100_000)

export const TaskDraft = z
  .strictObject({
    /** Left out: the work session begins when its agent starts it (WK4). */
    sessionId: line(200).nullish(),
    phase: z.int().min(0).max(1_000_000),
    /** Free text; usable characters become part of the id. */
    type: line(100),
    title: line(500),
    description: longText(100_000).nullish(),
    dependsOn: DependsOn.optional(),
    assignedTo: line(200).nullish(),
  })
  .transform(({ sessionId: workSessionId = null, ...draft }) => ({ ...draft, workSessionId }))

export const TaskChange = z.strictObject({
  status: z.enum(taskStatuses).optional(),
  /** Any number: the range is checked by the domain, with its own error (`invalid_progress`). */
  progressPercent: z.number().optional(),
  assignedTo: line(200).nullish(),
  dependsOn: DependsOn.optional(),
  result: Result.optional(),
  title: line(500).optional(),
  description: longText(100_000).nullish(),
})

/** The changes that an agent may report for its task (`update_task`). */
export const TaskProgress = TaskChange.pick({ status: true, progressPercent: true, result: true })
