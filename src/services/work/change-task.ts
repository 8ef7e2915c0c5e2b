/** Finds, creates, changes and places tasks (TK1, WK4). */

import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { home, projectStream, type StreamName } from '../../domain/stream-name.ts'
import { unfinishedOf } from '../../domain/work/task-dependencies.ts'
import {
  type TaskChange as DecidedChange,
  decideTask,
  isUnfinished,
  nextSeq,
  type TaskStatus,
  taskId,
  taskIdBeginning,
  waitingStatus,
} from '../../domain/work/task-lifecycle.ts'
import { taskFailed, type WorkError } from '../../domain/work/work-session-lifecycle.ts'
import type { Task, TaskChange, TaskDraft, TaskProgress } from '../../protocol/work/task.ts'
import { activityOf } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { newRow } from '../../store/rows.ts'
import { defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectBlockedBehind, statusesBehind } from '../../store/work/task-dependencies.ts'
import {
  highestIds,
  selectTaskOfWorkSession,
  type TaskRow,
  taskColumns,
  taskFrom,
  taskOf,
} from '../../store/work/tasks.ts'
import {
  runningDescendant,
  type WorkSessionRow,
  workSessionOf,
} from '../../store/work/work-sessions.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { noSuchProject, noSuchTask } from '../refusals.ts'
import { existingWorkSession, recordCheckpoint } from './end-work-session.ts'
import { endFinishedPlan, planOf } from './plan-record.ts'
import { distinct, storeDependencies, unfinishedFor } from './task-dependencies.ts'
import { refusalOfTask } from './task-refusal.ts'

/** Stores an error in the work session with a checkpoint (CK1, CK2). */
async function storeError(
  tx: Tx,
  row: WorkSessionRow,
  error: WorkError,
  subject?: string,
): Promise<WorkSessionRow> {
  const changed = { ...row, error: JSON.stringify(error) }
  await tx.update('sessions', { id: row.id, error: changed.error })
  const place = { projectId: row.project_id, workSessionId: row.id }
  await recordCheckpoint(tx, {
    ...place,
    reason: 'error',
    ...(subject !== undefined && { subject }),
    error,
    now: error.at,
  })
  return changed
}

interface Change extends DecidedChange {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}

interface ChangeOptions {
  readonly by: string
  readonly now: Instant
}

const isEnd = (status: TaskStatus | undefined): boolean =>
  status !== undefined && !isUnfinished(status)

/**
 * The streams to lock. Home is included if the task ends, because its work session may end with it
 * (WK5).
 */
const taskStreams = ({
  projectId,
  status,
}: {
  projectId: string
  status?: TaskStatus | undefined
}): StreamName[] => (isEnd(status) ? [home, projectStream(projectId)] : [projectStream(projectId)])

/**
 * Applies a change and its effects in one commit: unblocks waiting tasks (TK2), and moves the work
 * session to another task.
 */
export async function applyTaskChange(
  tx: Tx,
  row: TaskRow,
  wanted: Change,
  circumstances: ChangeOptions,
): Promise<Task> {
  const place = { projectId: row.project_id, taskId: row.id }
  const task = taskFrom(row)
  const { title, description, ...change } = wanted
  const dependsOn = change.dependsOn && distinct(change.dependsOn)
  const unfinished = dependsOn
    ? await storeDependencies(tx, place, dependsOn)
    : await unfinishedFor(tx, place, task.dependsOn)
  const decision = decideTask(
    circumstances.now,
    task,
    { ...change, ...(dependsOn && { dependsOn }) },
    unfinished,
  )
  if (decision.outcome === 'refused') throw refusalOfTask(row.id, decision.refusal)
  const decided = decision.outcome === 'changed' ? decision.task : task
  const changed: TaskRow = {
    ...row,
    ...taskColumns(decided),
    session_id:
      decided.status === 'in_progress' && row.status !== decided.status
        ? await workSessionOnRestart(tx, row)
        : row.session_id,
    blocked_by: blockedBy(decided.status, unfinished),
    title: title ?? row.title,
    description: description === undefined ? row.description : description,
  }
  if (isSame(row, changed)) return taskOf(row)
  const answer = await writeTask(tx, changed, circumstances)
  if (changed.status !== row.status) {
    await updateCurrentTask(tx, row, changed)
    if (changed.status === 'completed') await updateWaitingTasks(tx, place, circumstances)
    await saveTaskCheckpoint(tx, changed, circumstances.now)
    if (isEnd(changed.status)) await endFinishedPlan(tx, changed.session_id, circumstances.now)
  }
  return answer
}

/** CK1: saves a checkpoint after a completed or failed task. */
async function saveTaskCheckpoint(
  tx: Tx,
  { project_id: projectId, session_id: workSessionId, id, status, result }: TaskRow,
  now: Instant,
) {
  if (workSessionId === null) return
  if (status === 'completed')
    await recordCheckpoint(tx, {
      projectId,
      workSessionId,
      reason: 'task_completed',
      subject: id,
      now,
    })
  const row = status === 'failed' ? await tx.row('sessions', { id: workSessionId }) : undefined
  if (row) await storeError(tx, row, taskFailed(id, result, now), id)
}

/**
 * The work session of a task started again: none if its own was completed (WK4) or all in it failed
 * (WK7), the resumed one if interrupted (RS1).
 */
async function workSessionOnRestart(
  tx: Tx,
  { project_id: projectId, session_id: id }: TaskRow,
): Promise<string | null> {
  const row = id === null ? undefined : await tx.row('sessions', { id })
  const left = row && workSessionOf(row)
  if (!left || left.state === 'running') return id
  const resumed = left.state === 'completed' ? undefined : await runningDescendant(tx, row)
  const isOver =
    left.state === 'completed' ||
    (left.interruptionReason === 'task_failed' && (await planOf(tx, row.id)) === 'failed')
  const to = resumed?.id ?? (isOver ? null : id)
  // The task's own event cannot tell where it was before.
  if (to !== id)
    tx.append(projectStream(projectId), {
      type: 'work-session-changed',
      data: { workSession: left },
    })
  return to
}

/**
 * Updates the tasks that waited for a completed one: unblocks them, or changes what blocks them
 * (TK2).
 */
async function updateWaitingTasks(
  tx: Tx,
  place: { projectId: string; taskId: string },
  circumstances: ChangeOptions,
): Promise<void> {
  const waiting = await tx.all(selectBlockedBehind, place)
  if (waiting.length === 0) return
  const statusOf = await statusesBehind(tx, place)
  for (const row of waiting) {
    const task = taskFrom(row)
    const unfinished = unfinishedOf(task.dependsOn, statusOf)
    const decision = decideTask(circumstances.now, task, {}, unfinished)
    const decided = decision.outcome === 'changed' ? decision.task : task
    const changed = {
      ...row,
      ...taskColumns(decided),
      blocked_by: blockedBy(decided.status, unfinished),
    }
    if (!isSame(row, changed)) await writeTask(tx, changed, circumstances)
  }
}

/** Writes a task as it has been decided, and announces it: the only writer of its status. */
export async function writeTask(tx: Tx, row: TaskRow, { by, now }: ChangeOptions): Promise<Task> {
  const changed = { ...row, updated_at: now }
  await tx.update('tasks', changed)
  const task = taskOf(changed)
  tx.append(projectStream(row.project_id), { type: 'task-changed', data: { task, by } })
  return task
}

const blockedBy = (status: TaskRow['status'], unfinished: readonly string[]): string | null =>
  status === 'blocked' ? (unfinished[0] ?? null) : null

const isSame = (row: TaskRow, changed: TaskRow): boolean =>
  (Object.keys(row) as (keyof TaskRow)[]).every((column) => row[column] === changed[column])

type ChangeInput = z.output<typeof TaskChange> & { projectId: string; taskId: string; by: string }

/**
 * Changes a task for a person (`change-task`) or its agent (`update-task`). Fields left out stay;
 * no effect, no event.
 */
export const changeTask = defineUseCase('change-task', {
  scope: 'write',
  on: 'project',
  streams: (input: ChangeInput) => taskStreams(input),
  run: async (tx, { projectId, taskId, by, ...change }: ChangeInput, { now }): Promise<Task> =>
    applyTaskChange(
      tx,
      await existingTask(tx, { projectId, taskId }),
      { ...change, mayRetry: true },
      { by, now },
    ),
})

type UpdateInput = AgentCaller & z.output<typeof TaskProgress> & { taskId: string }

/** Updates an agent's own task (`update_task`): progress or end. Counts as activity (AS6). */
export const updateTask = defineUseCase('update-task', {
  scope: 'agent',
  on: 'caller',
  streams: (input: UpdateInput) => taskStreams(input),
  run: async (tx, input: UpdateInput, { now }): Promise<Task> => {
    const { projectId, agentId, taskId, status, progressPercent, result } = input
    const agentSession = await liveAgentSession(tx, input)
    const row = await taskOfAgent(tx, { projectId, taskId }, agentId)
    const task = await applyTaskChange(
      tx,
      row,
      { status, progressPercent, result },
      { by: agentId, now },
    )
    await tx.update('agent_sessions', activityOf(afterActivity(now, agentSession, 'progress')))
    return task
  },
})

type Input = z.output<typeof TaskDraft> & { projectId: string; by: string }

/**
 * Creates a task (WK4). Its id counts within project, phase and type (ID1); unfinished dependencies
 * block it (TK2).
 */
export const createTask = defineUseCase('create-task', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, by, ...draft }: Input, { now }): Promise<Task> => {
    const { workSessionId, phase, type } = draft
    if (workSessionId === null) await existingProject(tx, projectId)
    else await openWorkSession(tx, projectId, workSessionId)
    const id = await freeId(tx, projectId, phase, type)
    const dependsOn = distinct(draft.dependsOn ?? [])
    const unfinished = await storeDependencies(tx, { projectId, taskId: id }, dependsOn)
    const row = newRow('tasks', {
      project_id: projectId,
      id,
      session_id: workSessionId,
      phase,
      task_type: type,
      title: draft.title,
      description: draft.description ?? null,
      status: waitingStatus(unfinished),
      assigned_to: draft.assignedTo ?? null,
      depends_on: JSON.stringify(dependsOn),
      blocked_by: unfinished[0] ?? null,
      created_at: now,
      updated_at: now,
    })
    await tx.insert('tasks', row)
    const task = taskOf(row)
    tx.append(projectStream(projectId), { type: 'task-created', data: { task, by } })
    return task
  },
})

async function existingProject(reader: Reader, projectId: string): Promise<void> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
}

/**
 * An interrupted work session accepts tasks, because it can be resumed. A completed one does not.
 */
async function openWorkSession(
  reader: Reader,
  projectId: string,
  workSessionId: string,
): Promise<void> {
  const { state } = workSessionOf(await existingWorkSession(reader, { projectId, workSessionId }))
  if (state === 'completed')
    throw new Refusal('work_session_completed', undefined, { workSessionId })
}

/** Under the project's lock, so the id stays free. */
async function freeId(
  reader: Reader,
  projectId: string,
  phase: number,
  type: string,
): Promise<string> {
  const taken = await highestIds(reader, projectId, taskIdBeginning(phase, type))
  return taskId(phase, type, nextSeq(phase, type, taken))
}

interface TaskKey {
  readonly projectId: string
  readonly taskId: string
}

/** A task of a project. Another project's is not found. */
export async function existingTask(
  reader: Reader,
  { projectId, taskId }: TaskKey,
): Promise<TaskRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('tasks', { project_id: projectId, id: taskId })
  if (!row) throw noSuchTask(taskId)
  return row
}

/** SE3: an agent finds its own tasks only. */
export async function taskOfAgent(
  reader: Reader,
  place: TaskKey,
  agentId: string,
): Promise<TaskRow> {
  const row = await existingTask(reader, place)
  if (row.assigned_to !== agentId) throw noSuchTask(place.taskId)
  return row
}

/**
 * Updates the current task (WK1) of a running work session: the one started last, or else another
 * in progress.
 */
export async function updateCurrentTask(tx: Tx, before: TaskRow, after: TaskRow): Promise<void> {
  const begun = after.status === 'in_progress'
  if (!begun && before.status !== 'in_progress') return
  const row =
    after.session_id === null ? undefined : await tx.row('sessions', { id: after.session_id })
  if (!row || row.ended_at !== null) return
  if (!begun && row.current_task_id !== after.id) return
  const current = begun ? after : await tx.first(selectTaskOfWorkSession, { workSessionId: row.id })
  const current_task_id = current?.id ?? null
  const current_phase = current?.phase ?? row.current_phase
  const moved = { ...row, current_task_id, current_phase }
  await tx.update('sessions', { id: row.id, current_task_id, current_phase })
  tx.append(projectStream(row.project_id), {
    type: 'work-session-changed',
    data: { workSession: workSessionOf(moved) },
  })
}
