/** Changes a task; what is not named stays. A change that changes nothing leaves no trace. */
import type * as z from 'zod'
import type { Task, TaskChange } from '../protocol/task.ts'
import { defineUseCase } from '../store/store.ts'
import { applyTaskChange, taskStreams } from './apply-task-change.ts'
import { existingTask } from './existing-task.ts'

type Input = z.output<typeof TaskChange> & { projectId: string; taskId: string; by: string }

export const changeTask = defineUseCase({
  name: 'change-task',
  streams: (input: Input) => taskStreams(input),
  run: async (tx, { projectId, taskId, by, ...change }: Input, { now }): Promise<Task> =>
    applyTaskChange(tx, await existingTask(tx, { projectId, taskId }), { ...change, mayRetry: true }, { by, now }),
})
