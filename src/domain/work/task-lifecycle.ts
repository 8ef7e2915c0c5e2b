/**
 * The lifecycle of a task (TK2). Pure: the caller supplies the unfinished dependencies
 * (task-dependencies.ts). `blocked` follows from dependencies alone and cannot be set by hand.
 */
import type { Instant } from '../instant.ts'

export type TaskStatus = 'pending' | 'blocked' | 'in_progress' | 'completed' | 'failed'

interface TaskParts {
  readonly id: string
  readonly dependsOn: readonly string[]
  readonly assignedTo: string | null
  readonly progressPercent: number
  readonly result: unknown
}

export type WaitingTask = TaskParts & {
  readonly status: 'pending' | 'blocked'
  readonly startedAt: null
  readonly completedAt: null
}
export type StartedTask = TaskParts & {
  readonly status: 'in_progress' | 'failed'
  readonly startedAt: Instant
  readonly completedAt: null
}
export type CompletedTask = TaskParts & {
  readonly status: 'completed'
  readonly startedAt: Instant
  readonly completedAt: Instant
}
export type Task = WaitingTask | StartedTask | CompletedTask

/** A requested change; unnamed fields stay. */
export interface TaskChange {
  readonly status?: TaskStatus
  readonly progressPercent?: number
  readonly assignedTo?: string | null
  readonly dependsOn?: readonly string[]
  readonly result?: unknown
  /** By a person, who may retry a failed task. */
  readonly mayRetry?: boolean
}

export type TaskRefusal =
  | { readonly code: 'task_blocked'; readonly waitsFor: readonly string[] }
  | { readonly code: 'invalid_progress' }
  | { readonly code: 'wrong_state'; readonly status: TaskStatus; readonly wanted: TaskStatus }

export type TaskDecision =
  | { readonly outcome: 'changed'; readonly task: Task }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'refused'; readonly refusal: TaskRefusal }

/** The status of a new task, or of a waiting one after a dependency changed. */
export const waitingStatus = (unfinished: readonly string[]): 'pending' | 'blocked' =>
  unfinished.length === 0 ? 'pending' : 'blocked'

/** RS1, AS9: neither completed nor failed. */
export const isUnfinished = (status: TaskStatus): boolean =>
  status !== 'completed' && status !== 'failed'

/**
 *   blocked ◀──dependencies──▶ pending ──start──▶ in_progress ──▶ completed | failed      (completed is final)
 *                                                     ▲──────a person's retry──────┘
 *
 * `unfinished` are the unfinished ones among the dependencies the task has after the change; an
 * empty change with the present ones is how `blocked` is lifted. A finished task can still be given
 * a result, which is what a repeated call does.
 */
export function decideTask(
  now: Instant,
  task: Task,
  change: TaskChange,
  unfinished: readonly string[],
): TaskDecision {
  const { progressPercent } = change
  if (progressPercent !== undefined && !isProgress(progressPercent))
    return refused({ code: 'invalid_progress' })
  const stands = isWaiting(task) ? waitingStatus(unfinished) : task.status
  const wanted = change.status ?? stands
  const isRetry = stands === 'failed' && wanted === 'in_progress' && change.mayRetry === true
  if (stands === 'in_progress' && change.dependsOn && unfinished.length > 0)
    return blockedBy(unfinished)
  if (wanted !== stands) {
    if (stands === 'blocked') return blockedBy(unfinished)
    if (!isRetry && !next[stands].includes(wanted))
      return refused({ code: 'wrong_state', status: stands, wanted })
    if (isRetry && unfinished.length > 0) return blockedBy(unfinished)
  }
  if (isRetry) return { outcome: 'changed', task: begunAgain(now, task, change) }
  if (
    !isUnfinished(stands) &&
    progressPercent !== undefined &&
    progressPercent !== task.progressPercent
  )
    return refused({ code: 'wrong_state', status: stands, wanted })
  const changed = moved(now, task, wanted, {
    id: task.id,
    dependsOn: change.dependsOn ?? task.dependsOn,
    assignedTo: change.assignedTo === undefined ? task.assignedTo : change.assignedTo,
    progressPercent: wanted === 'completed' ? 100 : (progressPercent ?? task.progressPercent),
    result: change.result === undefined ? task.result : change.result,
  })
  return isSame(task, changed) ? { outcome: 'unchanged' } : { outcome: 'changed', task: changed }
}

/** Starts over; the first attempt's result is in the log. */
const begunAgain = (now: Instant, task: Task, change: TaskChange): StartedTask => ({
  id: task.id,
  dependsOn: change.dependsOn ?? task.dependsOn,
  assignedTo: change.assignedTo === undefined ? task.assignedTo : change.assignedTo,
  progressPercent: change.progressPercent ?? 0,
  result: change.result ?? null,
  status: 'in_progress',
  startedAt: now,
  completedAt: null,
})

const next: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  blocked: [],
  pending: ['in_progress'],
  in_progress: ['completed', 'failed'],
  completed: [],
  failed: [],
}

function moved(now: Instant, task: Task, status: TaskStatus, parts: TaskParts): Task {
  const startedAt = task.startedAt ?? now
  switch (status) {
    case 'pending':
    case 'blocked':
      return { ...parts, status, startedAt: null, completedAt: null }
    case 'in_progress':
    case 'failed':
      return { ...parts, status, startedAt, completedAt: null }
    case 'completed':
      return { ...parts, status, startedAt, completedAt: task.completedAt ?? now }
  }
}

const isWaiting = (task: Task): task is WaitingTask =>
  task.status === 'pending' || task.status === 'blocked'

const isProgress = (percent: number): boolean =>
  Number.isInteger(percent) && percent >= 0 && percent <= 100

const isSame = (a: Task, b: Task): boolean =>
  JSON.stringify(comparable(a)) === JSON.stringify(comparable(b))

const comparable = (task: Task): readonly unknown[] => [
  task.status,
  task.progressPercent,
  task.assignedTo,
  task.dependsOn,
  task.result,
]

const refused = (refusal: TaskRefusal): TaskDecision => ({ outcome: 'refused', refusal })
const blockedBy = (waitsFor: readonly string[]): TaskDecision =>
  refused({ code: 'task_blocked', waitsFor })

/** Ids of tasks: `task_p{phase}_{type}_{seq}`, counted by project, phase and type (ID1). Pure. */
const maxType = 40
/** For types without Latin letters or digits. */
const typeless = 'task'

/** The prefix of all ids of a phase and type; a number of at least three digits follows. */
export const taskIdBeginning = (phase: number, type: string): string =>
  `task_p${phase}_${typeInId(type)}_`

/** `task_p1_code_001` */
export const taskId = (phase: number, type: string, seq: number): string =>
  `${taskIdBeginning(phase, type)}${String(seq).padStart(3, '0')}`

/** The first unused number; ids of other phases and types do not count. */
export function nextSeq(phase: number, type: string, taken: Iterable<string>): number {
  const start = taskIdBeginning(phase, type)
  let highest = 0
  for (const id of taken) {
    const ending = id.startsWith(start) ? id.slice(start.length) : ''
    if (/^\d{3,15}$/.test(ending)) highest = Math.max(highest, Number(ending))
  }
  return highest + 1
}

export const isTaskId = (text: string): boolean =>
  /^task_p\d{1,7}_[a-z0-9_]{1,40}_\d{3,15}$/.test(text)

/** Ids are used in URLs and file names; types are free text. */
function typeInId(type: string): string {
  const plain = type
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+/g, '')
    .slice(0, maxType)
    .replaceAll(/_+$/g, '')
  return plain || typeless
}
