/** Reads one task of a project. */
import type { Task } from '../protocol/task.ts'
import { taskOf } from '../store/queries/tasks.ts'
import { defineQuery } from '../store/store.ts'
import { existingTask } from './existing-task.ts'

export const getTask = defineQuery({
  name: 'get-task',
  run: async (reader, place: { projectId: string; taskId: string }): Promise<Task> => taskOf(await existingTask(reader, place)),
})
