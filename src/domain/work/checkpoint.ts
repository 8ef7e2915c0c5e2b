/** When the state of a work session is saved, and what it is then (CK1, CK2). Pure. */
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

/** What went wrong last (CK2). */
export interface WorkError {
  readonly code: string
  readonly message: string
  readonly at: Instant
}

/** CK1: every so often while it is running and has changed. */
export const isDue = (now: Instant, savedAt: Instant, changedAt: Instant, intervalMs: number): boolean =>
  changedAt > savedAt && Date.parse(now) - Date.parse(savedAt) >= intervalMs

interface Sorted<Task> {
  readonly completed: readonly Task[]
  /** What is in progress, then what is blocked. */
  readonly pending: readonly Task[]
  /** Not begun. */
  readonly remaining: readonly Task[]
}

/** CK2: where each task stands in a checkpoint. A failed one is in none of the three. */
export const sorted = <Task extends { readonly status: TaskStatus }>(tasks: readonly Task[]): Sorted<Task> => ({
  completed: tasks.filter(({ status }) => status === 'completed'),
  pending: [...tasks.filter(({ status }) => status === 'in_progress'), ...tasks.filter(({ status }) => status === 'blocked')],
  remaining: tasks.filter(({ status }) => status === 'pending'),
})

/** An interruption that is an error; others are somebody's wish. */
const errors: Readonly<Record<string, string>> = {
  error: statusText('workError'),
  process_exited: statusText('workProcessExited'),
  connection_error: statusText('workConnectionLost'),
  coordinator_lost: statusText('workMachineLost'),
  abandoned: statusText('workAbandoned'),
}

/** CK1: the error that an interruption is; null when it is none. */
export const errorOf = (reason: string, at: Instant): WorkError | null =>
  Object.hasOwn(errors, reason) ? { code: reason, message: errors[reason] ?? reason, at } : null

const maxMessage = 2000

/** CK1: a task that failed, with what was said about it as JSON. */
export const taskFailed = (taskId: string, result: string | null, at: Instant): WorkError => ({
  code: 'task_failed',
  message:
    result === null
      ? statusText('taskFailed', { task: taskId })
      : statusText('taskFailedBecause', { task: taskId, why: result.slice(0, maxMessage).toWellFormed() }),
  at,
})
