/** Rows that come to be in other ways than by the use cases tested here. */
import { home, projectStream } from '../../../src/domain/stream-name.ts'
import { beginWorkSession } from '../../../src/services/work/end-work-session.ts'
import { agentSessionFrom, changesOf } from '../../../src/store/agent-sessions/agent-sessions.ts'
import { defineUseCase } from '../../../src/store/store.ts'
import { workSessionOf } from '../../../src/store/work/work-sessions.ts'

interface Placed {
  readonly projectId: string
  readonly parentId?: string
  readonly agentSessionId?: string
}

/** Work sessions that were resumed from another, or that an agent session drives. */
export const placeWorkSession = defineUseCase('place-work-session', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: Placed) => [home, projectStream(projectId)],
  run: async (tx, { projectId, parentId, agentSessionId }: Placed, context) => {
    const owner = {
      parent_session_id: parentId ?? null,
      owner_agent_session_id: agentSessionId ?? null,
    }
    const row = await beginWorkSession(tx, { project_id: projectId, ...owner }, context)
    const driver =
      agentSessionId === undefined
        ? undefined
        : await tx.row('agent_sessions', { id: agentSessionId })
    if (driver)
      await tx.update(
        'agent_sessions',
        changesOf({ ...agentSessionFrom(driver), workSessionId: row.id }),
      )
    return workSessionOf(row)
  },
})

/** Tasks with ids as if thousands had been made before. */
export const placeTasks = defineUseCase('place-tasks', {
  scope: 'server',
  on: 'nobody',
  streams: ({
    projectId,
  }: {
    projectId: string
    workSessionId: string
    ids: readonly string[]
  }) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, ids }, { now }) => {
    const words = {
      phase: 1,
      task_type: 'code',
      title: 't',
      description: null,
      status: 'pending',
      result: null,
    } as const
    const state = {
      progress_percent: 0,
      assigned_to: null,
      depends_on: '[]',
      blocked_by: null,
      started_at: null,
      completed_at: null,
    }
    const row = {
      project_id: projectId,
      session_id: workSessionId,
      ...words,
      ...state,
      created_at: now,
      updated_at: now,
    }
    for (const id of ids) await tx.insert('tasks', { ...row, id })
  },
})

/** A task that nobody can read any more. */
export const spoilTask = defineUseCase('spoil-task', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: { projectId: string; taskId: string }) => [projectStream(projectId)],
  run: async (tx, { projectId, taskId }) => {
    const row = await tx.row('tasks', { project_id: projectId, id: taskId })
    if (row) await tx.update('tasks', { ...row, result: '{"broken' })
  },
})
