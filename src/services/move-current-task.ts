/** Which task a running work session is at (WK1): the one begun last; when that is finished, another that is being worked on. */
import { projectStream } from '../domain/stream/name.ts'
import { selectTaskOfWorkSession, type TaskRow } from '../store/queries/tasks.ts'
import { selectWorkSession, updateWorkSession, workSessionOf } from '../store/queries/work-sessions.ts'
import type { Tx } from '../store/store.ts'

/** After the task was written. */
export async function moveCurrentTask(tx: Tx, before: TaskRow, after: TaskRow): Promise<void> {
  const begun = after.status === 'in_progress'
  if (!begun && before.status !== 'in_progress') return
  const row = after.session_id === null ? undefined : await tx.first(selectWorkSession, { id: after.session_id })
  if (!row || row.ended_at !== null) return
  if (!begun && row.current_task_id !== after.id) return
  const current = begun ? after : await tx.first(selectTaskOfWorkSession, { workSessionId: row.id })
  const moved = { ...row, current_task_id: current?.id ?? null, current_phase: current?.phase ?? row.current_phase }
  await tx.write(updateWorkSession, moved)
  tx.append(projectStream(row.project_id), { type: 'work-session-changed', data: { workSession: workSessionOf(moved) } })
}
