/** A task of a project; one of another project is not there. */
import { selectProject } from '../store/queries/projects.ts'
import { selectTask, type TaskRow } from '../store/queries/tasks.ts'
import type { Reader } from '../store/store.ts'
import { noSuchProject, noSuchTask } from './refusals.ts'

interface Place {
  readonly projectId: string
  readonly taskId: string
}

export async function existingTask(reader: Reader, { projectId, taskId }: Place): Promise<TaskRow> {
  if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.first(selectTask, { projectId, id: taskId })
  if (!row) throw noSuchTask(taskId)
  return row
}

/** SE3: to an agent, the tasks of others are not there. */
export async function taskOfAgent(reader: Reader, place: Place, agentId: string): Promise<TaskRow> {
  const row = await existingTask(reader, place)
  if (row.assigned_to !== agentId) throw noSuchTask(place.taskId)
  return row
}
