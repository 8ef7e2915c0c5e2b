/** Places a task that its agent takes into a work session (WK4). */

import { projectStream } from '../../domain/stream-name.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import type { TaskRow } from '../../store/work/tasks.ts'
import type { WorkSessionRow } from '../../store/work/work-sessions.ts'
import { updateCurrentTask, writeTask } from './change-task.ts'
import { beginWorkSession } from './end-work-session.ts'

interface TaskTaker {
  readonly id: string
  readonly agentId: string
  readonly workSessionId: string | null
}

export type PlacedTask = TaskRow & { readonly session_id: string }

/** Places a task that its agent takes into its running work session, or into a new one (WK4). */
export async function placeTask(
  tx: Tx,
  task: TaskRow,
  takenBy: TaskTaker,
  context: Context,
): Promise<PlacedTask> {
  tx.lock(projectStream(task.project_id))
  if (task.session_id !== null) return { ...task, session_id: task.session_id }
  const running = await runningWorkSession(tx, takenBy.workSessionId)
  const { id } = running ?? (await createFor(tx, task, takenBy, context))
  const placed = { ...task, session_id: id, updated_at: context.now }
  await writeTask(tx, placed, { by: takenBy.agentId, now: context.now })
  if (running) await updateCurrentTask(tx, task, placed)
  return placed
}

async function runningWorkSession(
  reader: Reader,
  id: string | null,
): Promise<WorkSessionRow | undefined> {
  const row = id === null ? undefined : await reader.row('sessions', { id })
  return row?.ended_at === null ? row : undefined
}

async function createFor(
  tx: Tx,
  task: TaskRow,
  takenBy: TaskTaker,
  context: Context,
): Promise<WorkSessionRow> {
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
