/** Updates an agent's own task (`update_task`): progress or end. Counts as activity (AS6). */
import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import type { Task, TaskProgress } from '../../protocol/work/task.ts'
import { changesOf, updateActivity } from '../../store/agent-sessions/agent-sessions.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { defineUseCase } from '../../store/store.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { applyTaskChange, taskStreams } from './change-task.ts'
import { taskOfAgent } from './task-record.ts'

type Input = Receiver & z.output<typeof TaskProgress> & { taskId: string }

export const updateTask = defineUseCase({
  name: 'update-task',
  streams: (input: Input) => taskStreams(input),
  run: async (tx, input: Input, { now }): Promise<Task> => {
    const { projectId, agentId, taskId, status, progressPercent, result } = input
    const agentSession = await liveAgentSession(tx, input)
    const row = await taskOfAgent(tx, { projectId, taskId }, agentId)
    const task = await applyTaskChange(tx, row, { status, progressPercent, result }, { by: agentId, now })
    await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'progress')))
    return task
  },
})
