/** When a work session's state is saved, and what a checkpoint contains (CK1, CK2). Pure. */
import type { Instant } from '../instant.ts'
import { statusText } from '../sentences.ts'
import type { TaskStatus } from './task-lifecycle.ts'

export const checkpointReasons = [
  'task_completed',
  'approval_decided',
  'approach_recorded',
  'error',
  'periodic',
  'ended',
  'asked',
] as const
export type CheckpointReason = (typeof checkpointReasons)[number]

/** The last error (CK2). */
export interface WorkError {
  readonly code: string
  readonly message: string
  readonly at: Instant
}

/** CK1: periodically while it runs and has changed. */
export const isDue = (now: Instant, savedAt: Instant, changedAt: Instant, intervalMs: number): boolean =>
  changedAt > savedAt && Date.parse(now) - Date.parse(savedAt) >= intervalMs

interface Sorted<Task> {
  readonly completed: readonly Task[]
  /** In progress, then blocked. */
  readonly pending: readonly Task[]
  /** Not started. */
  readonly remaining: readonly Task[]
}

/** CK2: the tasks of a checkpoint by state. Failed ones are in none. */
export const sorted = <Task extends { readonly status: TaskStatus }>(tasks: readonly Task[]): Sorted<Task> => ({
  completed: tasks.filter(({ status }) => status === 'completed'),
  pending: [...tasks.filter(({ status }) => status === 'in_progress'), ...tasks.filter(({ status }) => status === 'blocked')],
  remaining: tasks.filter(({ status }) => status === 'pending'),
})

/** Interruptions that are errors; others are intended. */
const errors: Readonly<Record<string, string>> = {
  error: statusText('workError'),
  process_exited: statusText('workProcessExited'),
  connection_error: statusText('workConnectionLost'),
  coordinator_lost: statusText('workMachineLost'),
  abandoned: statusText('workAbandoned'),
}

/** CK1: the error of an interruption; null when it is intended. */
export const errorOf = (reason: string, at: Instant): WorkError | null =>
  Object.hasOwn(errors, reason) ? { code: reason, message: errors[reason] ?? reason, at } : null

const maxMessage = 2000

/** CK1: a failed task, with its details as JSON. */
export const taskFailed = (taskId: string, result: string | null, at: Instant): WorkError => ({
  code: 'task_failed',
  message:
    result === null
      ? statusText('taskFailed', { task: taskId })
      : statusText('taskFailedBecause', { task: taskId, why: result.slice(0, maxMessage).toWellFormed() }),
  at,
})
