/**
 * Places a task into a work session when its agent takes it (WK4): the running one of its agent session, or a new one that the
 * agent session owns.
 */
import { projectStream } from '../../domain/stream-name.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { type TaskRow, taskOf } from '../../store/work/tasks.ts'
import type { WorkSessionRow } from '../../store/work/work-sessions.ts'
import { updateCurrentTask } from './task-record.ts'
import { beginWorkSession } from './work-session-record.ts'

interface TaskTaker {
  readonly id: string
  readonly agentId: string
  readonly workSessionId: string | null
}

export type PlacedTask = TaskRow & { readonly session_id: string }

/** The calling use case locks `home` and the project's stream. */
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
