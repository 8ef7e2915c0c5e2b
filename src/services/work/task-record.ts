/** Finds tasks, writes them, and places them in work sessions. */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { findCycle, unfinishedOf } from '../../domain/work/task-dependencies.ts'
import { isTaskId } from '../../domain/work/task-lifecycle.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import {
  deleteDependenciesOf,
  dependenciesOf,
  hasDependents,
  statusesOfDependencies,
} from '../../store/work/task-dependencies.ts'
import { selectTaskOfWorkSession, type TaskRow, taskOf } from '../../store/work/tasks.ts'
import { type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { noSuchProject, noSuchTask } from '../refusals.ts'
import { beginWorkSession } from './end-work-session.ts'

interface Place {
  readonly projectId: string
  readonly taskId: string
}

/** A task of a project. Another project's is not found. */
export async function existingTask(reader: Reader, { projectId, taskId }: Place): Promise<TaskRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('tasks', { project_id: projectId, id: taskId })
  if (!row) throw noSuchTask(taskId)
  return row
}

/** SE3: an agent finds its own tasks only. */
export async function taskOfAgent(reader: Reader, place: Place, agentId: string): Promise<TaskRow> {
  const row = await existingTask(reader, place)
  if (row.assigned_to !== agentId) throw noSuchTask(place.taskId)
  return row
}

/** Updates the current task (WK1) of a running work session: the one started last, or else another in progress. */
export async function updateCurrentTask(tx: Tx, before: TaskRow, after: TaskRow): Promise<void> {
  const begun = after.status === 'in_progress'
  if (!begun && before.status !== 'in_progress') return
  const row = after.session_id === null ? undefined : await tx.row('sessions', { id: after.session_id })
  if (!row || row.ended_at !== null) return
  if (!begun && row.current_task_id !== after.id) return
  const current = begun ? after : await tx.first(selectTaskOfWorkSession, { workSessionId: row.id })
  const moved = { ...row, current_task_id: current?.id ?? null, current_phase: current?.phase ?? row.current_phase }
  await tx.update('sessions', moved)
  tx.append(projectStream(row.project_id), { type: 'work-session-changed', data: { workSession: workSessionOf(moved) } })
}

interface OfTask {
  readonly projectId: string
  readonly taskId: string
}

export const distinct = (dependsOn: readonly string[]): string[] => [...new Set(dependsOn)]

/** Stores a task's dependencies and returns the unfinished ones (TK2). Ids of later tasks may be named; cycles are refused. */
export async function storeDependencies(tx: Tx, task: OfTask, dependsOn: readonly string[]): Promise<string[]> {
  const { projectId, taskId } = task
  for (const id of dependsOn) if (!isTaskId(id) && !(await tx.row('tasks', { project_id: projectId, id }))) throw noSuchTask(id)
  await refuseCycle(tx, task, dependsOn)
  await tx.write(deleteDependenciesOf, task)
  for (const id of dependsOn) await tx.insert('task_dependencies', { project_id: projectId, task_id: taskId, depends_on: id })
  return unfinishedFor(tx, task, dependsOn)
}

export const unfinishedFor = async (reader: Reader, task: OfTask, dependsOn: readonly string[]): Promise<string[]> =>
  dependsOn.length === 0 ? [] : unfinishedOf(dependsOn, await statusesOfDependencies(reader, task))

async function refuseCycle(reader: Reader, task: OfTask, dependsOn: readonly string[]): Promise<void> {
  const { projectId, taskId } = task
  const canClose = dependsOn.includes(taskId) || (dependsOn.length > 0 && (await hasDependents(reader, task)))
  const cycle = canClose && findCycle(await dependenciesOf(reader, projectId), taskId, dependsOn)
  if (cycle) throw new Refusal('dependency_cycle', refusalText('taskCycle', { cycle: [...cycle, taskId].join(' → ') }), { cycle })
}

interface TaskTaker {
  readonly id: string
  readonly agentId: string
  readonly workSessionId: string | null
}

export type PlacedTask = TaskRow & { readonly session_id: string }

/**
 * Places a task into a work session when its agent takes it (WK4): the running one of its agent session, or a new one that the
 * agent session owns. The calling use case locks `home` and the project's stream.
 */
export async function placeTask(tx: Tx, task: TaskRow, takenBy: TaskTaker, context: Context): Promise<PlacedTask> {
  if (task.session_id !== null) return { ...task, session_id: task.session_id }
  const running = await runningWorkSession(tx, takenBy.workSessionId)
  const { id } = running ?? (await createFor(tx, task, takenBy, context))
  const placed = { ...task, session_id: id, updated_at: context.now }
  await tx.update('tasks', placed)
  const event = { type: 'task-changed', data: { task: taskOf(placed), by: takenBy.agentId } } as const
  tx.append(projectStream(task.project_id), event)
  if (running) await updateCurrentTask(tx, task, placed)
  return placed
}

async function runningWorkSession(reader: Reader, id: string | null): Promise<WorkSessionRow | undefined> {
  const row = id === null ? undefined : await reader.row('sessions', { id })
  return row?.ended_at === null ? row : undefined
}

async function createFor(tx: Tx, task: TaskRow, takenBy: TaskTaker, context: Context): Promise<WorkSessionRow> {
  const agent = await tx.row('agents', { id: takenBy.agentId })
  const beginning = {
    project_id: task.project_id,
    current_agent_role: agent?.role ?? null,
    current_task_id: task.id,
    current_phase: task.phase,
    owner_agent_session_id: takenBy.id,
  }
  return beginWorkSession(tx, beginning, context)
}
