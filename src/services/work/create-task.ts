/**
 * Creates a task, with or without a work session (WK4). Its id is counted within project, phase and type (ID1). It is blocked
 * while dependencies are unfinished (TK2).
 */
import type * as z from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { nextSeq, taskId, taskIdBeginning, waitingStatus } from '../../domain/work/task-lifecycle.ts'
import type { Task, TaskDraft } from '../../protocol/work/task.ts'
import { newRow } from '../../store/rows.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { highestIds, taskOf } from '../../store/work/tasks.ts'
import { workSessionOf } from '../../store/work/work-sessions.ts'
import { noSuchProject } from '../refusals.ts'
import { distinct, storeDependencies } from './task-record.ts'
import { existingWorkSession } from './work-session-record.ts'

type Input = z.output<typeof TaskDraft> & { projectId: string; by: string }

export const createTask = defineUseCase('create-task', {
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

/** An interrupted work session accepts tasks, because it can be resumed. A completed one does not. */
async function openWorkSession(reader: Reader, projectId: string, workSessionId: string): Promise<void> {
  const { state } = workSessionOf(await existingWorkSession(reader, { projectId, workSessionId }))
  if (state === 'completed') throw new Refusal('work_session_completed', undefined, { workSessionId })
}

/** Under the project's lock, so the id stays free. */
async function freeId(reader: Reader, projectId: string, phase: number, type: string): Promise<string> {
  const taken = await highestIds(reader, projectId, taskIdBeginning(phase, type))
  return taskId(phase, type, nextSeq(phase, type, taken))
}
