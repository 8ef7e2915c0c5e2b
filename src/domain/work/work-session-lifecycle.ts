/**
 * The lifecycle of a work session: one execution of work (WK1). An interrupted one is resumed by a
 * child (RS1). Pure.
 */
import type { EndReason } from '../agent-sessions/lifecycle.ts'
import type { Instant } from '../instant.ts'
import { detailFields, type Notice, type NoticeText } from '../notices.ts'
import { statusNotice } from '../status-texts.ts'
import type { PlanStanding } from './plan.ts'
import type { TaskStatus } from './task-lifecycle.ts'

/** WK4. Callers may use another word instead. */
export type InterruptionReason =
  | 'abandoned'
  | 'process_exited'
  | 'connection_error'
  | 'coordinator_lost'
  | 'error'
  | 'stopped'
  | 'task_failed'

export type WorkSession = { readonly id: string } & (
  | { readonly state: 'running'; readonly endedAt: null; readonly interruptionReason: null }
  | {
      readonly state: 'interrupted'
      readonly endedAt: Instant
      readonly interruptionReason: string
    }
  | { readonly state: 'completed'; readonly endedAt: Instant; readonly interruptionReason: null }
)

/** The state of a row. The table has no column for it. */
export function workSessionOf(
  id: string,
  endedAt: Instant | null,
  interruptionReason: string | null,
): WorkSession {
  if (endedAt === null) return { id, state: 'running', endedAt, interruptionReason: null }
  return interruptionReason === null
    ? { id, state: 'completed', endedAt, interruptionReason }
    : { id, state: 'interrupted', endedAt, interruptionReason }
}

export type WorkSessionEvent =
  | { readonly type: 'complete' }
  | { readonly type: 'interrupt'; readonly reason: InterruptionReason | (string & {}) }

export type WorkSessionDecision =
  | { readonly outcome: 'changed'; readonly workSession: WorkSession }
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'refused'
      readonly refusal:
        | { readonly code: 'work_session_completed' }
        | { readonly code: 'wrong_state'; readonly state: 'interrupted' }
    }

/**
 *   running ──complete──▶ completed          (final)
 *      └──────interrupt──▶ interrupted       (final; a resume begins a child)
 *
 * The same end again changes nothing, and the first reason stays the true one.
 */
export function decideWorkSession(
  now: Instant,
  current: WorkSession,
  event: WorkSessionEvent,
): WorkSessionDecision {
  const { id } = current
  switch (current.state) {
    case 'running':
      if (event.type === 'complete')
        return {
          outcome: 'changed',
          workSession: { id, state: 'completed', endedAt: now, interruptionReason: null },
        }
      return {
        outcome: 'changed',
        workSession: { id, state: 'interrupted', endedAt: now, interruptionReason: event.reason },
      }
    case 'interrupted':
      return event.type === 'interrupt'
        ? { outcome: 'unchanged' }
        : { outcome: 'refused', refusal: { code: 'wrong_state', state: 'interrupted' } }
    case 'completed':
      return event.type === 'complete'
        ? { outcome: 'unchanged' }
        : { outcome: 'refused', refusal: { code: 'work_session_completed' } }
  }
}

/** A requested end: completed, unless another status or only a reason is given. */
export function endAsAsked({
  completed,
  reason,
}: {
  completed?: boolean
  reason?: string
}): WorkSessionEvent {
  if (completed ?? reason === undefined) return { type: 'complete' }
  return { type: 'interrupt', reason: reason || 'stopped' }
}

/** AS9: the effect of an agent session's end on its work session; null: it continues (WK5). */
export function endWithAgentSession(
  because: EndReason,
  plan: PlanStanding,
): WorkSessionEvent | null {
  const wasSentAway = because === 'work_done'
  if (
    plan === 'done' ||
    plan === 'failed' ||
    wasSentAway ||
    (because === 'logout' && plan === 'stuck')
  )
    return endOfPlan(plan)
  return { type: 'interrupt', reason: interruptions[because] ?? 'abandoned' }
}

/** WK5: the result of a plan that nobody works on; null: it waits. */
export function endOfPlan(plan: PlanStanding): WorkSessionEvent | null {
  if (plan === 'open') return null
  return plan === 'done' ? { type: 'complete' } : { type: 'interrupt', reason: 'task_failed' }
}

/** Closing an agent session or stopping its process by hand stops the work. */
const interruptions: Readonly<Partial<Record<EndReason, InterruptionReason>>> = {
  process_exited: 'process_exited',
  coordinator_lost: 'coordinator_lost',
  closed: 'stopped',
}

/** Characters of the description; the full text is beside it. */
const maxSummaryChars = 120

/**
 * The state of a work session in one line (WK3), from its row alone, so that the line in an event
 * stays correct. Pure.
 */
export interface SummaryFacts {
  readonly state: WorkSession['state']
  readonly interruptionReason: string | null
  readonly currentPhase: number | null
  readonly currentAgentRole: string | null
  readonly currentAgentType: string | null
  readonly currentTaskId: string | null
  readonly contextSummary: string | null
}

/**
 * `interrupted (connection_error), phase 2, LEADER code, task_p2_code_003: jumping works, landing
 * does not`
 */
export function stateSummary(facts: SummaryFacts): string {
  const { state, interruptionReason, currentPhase, currentTaskId } = facts
  const agent = [facts.currentAgentRole, facts.currentAgentType].filter(Boolean).join(' ')
  const parts = [
    interruptionReason === null ? state : `${state} (${oneLine(interruptionReason)})`,
    currentPhase === null ? '' : `phase ${currentPhase}`,
    oneLine(agent),
    currentTaskId ?? '',
  ]
  const summary = oneLine(facts.contextSummary ?? '')
  return [parts.filter(Boolean).join(', '), summary].filter(Boolean).join(': ')
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  const characters = Array.from(line.slice(0, 2 * maxSummaryChars + 2))
  return characters.length > maxSummaryChars
    ? `${characters.slice(0, maxSummaryChars - 1).join('')}…`
    : line
}

/** When a work session's state is saved, and what a checkpoint contains (CK1, CK2). Pure. */
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
  readonly notice?: Notice
  readonly at: Instant
}

/** CK1: periodically while it runs and has changed. */
export const isDue = (
  now: Instant,
  savedAt: Instant,
  changedAt: Instant,
  intervalMs: number,
): boolean => changedAt > savedAt && Date.parse(now) - Date.parse(savedAt) >= intervalMs

interface Sorted<Task> {
  readonly completed: readonly Task[]
  /** In progress, then blocked; or those that failed. */
  readonly pending: readonly Task[]
  /** Not started. */
  readonly remaining: readonly Task[]
}

/**
 * CK2, CK9: the tasks of a checkpoint by state. Failed ones are pending when nothing else is left,
 * and in none otherwise.
 */
export function sorted<Task extends { readonly status: TaskStatus }>(
  tasks: readonly Task[],
): Sorted<Task> {
  const are = (wanted: TaskStatus): Task[] => tasks.filter(({ status }) => status === wanted)
  const [unfinished, remaining] = [[...are('in_progress'), ...are('blocked')], are('pending')]
  const isLeft = unfinished.length + remaining.length > 0
  return { completed: are('completed'), pending: isLeft ? unfinished : are('failed'), remaining }
}

/** Interruptions that are errors; others are intended. */
const errors: Readonly<Record<string, NoticeText>> = {
  error: statusNotice('workError'),
  process_exited: statusNotice('workProcessExited'),
  connection_error: statusNotice('workConnectionLost'),
  coordinator_lost: statusNotice('workMachineLost'),
  abandoned: statusNotice('workAbandoned'),
}

/** CK1: the error of an interruption; null when it is intended. */
export function errorOf(reason: string, at: Instant): WorkError | null {
  const words = Object.hasOwn(errors, reason) ? errors[reason] : undefined
  return words ? { code: reason, ...detailFields('message', words), at } : null
}

const maxMessage = 2000

/** CK1: a failed task, with its details as JSON. */
export const taskFailed = (taskId: string, result: string | null, at: Instant): WorkError => ({
  code: 'task_failed',
  ...detailFields(
    'message',
    result === null
      ? statusNotice('taskFailed', { task: taskId })
      : statusNotice('taskFailedBecause', {
          task: taskId,
          why: result.slice(0, maxMessage).toWellFormed(),
        }),
  ),
  at,
})
