/**
 * What of a project can be read as a resource (MC4): the project, its tasks, one of them, what was learned. To an agent only projects it works
 * on are there, and in them only its own tasks (SE3); what was learned is for all who work there.
 */
import type { Approach } from '../protocol/approach.ts'
import type { Project } from '../protocol/project.ts'
import type { Task } from '../protocol/task.ts'
import { approachesOfProject, approachOf } from '../store/queries/approaches.ts'
import { newest } from '../store/queries/page-cursor.ts'
import { findProject } from '../store/queries/projects.ts'
import { taskOf, tasksPage } from '../store/queries/tasks.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { existingTask, taskOfAgent } from './existing-task.ts'
import { noSuchProject } from './refusals.ts'

/** Of a list, the newest; it says when there are more. */
const mostTasks = 1000
const mostApproaches = 1000

export interface ResourceName {
  readonly projectId: string
  readonly part: 'project' | 'tasks' | 'approaches' | { readonly taskId: string }
}

/** Only what this agent may see; null: whoever may see everything. */
export type AskedResource = ResourceName & { readonly agentId: string | null }

export type FoundResource =
  | { readonly project: Project }
  | { readonly tasks: readonly Task[]; readonly more: boolean }
  | { readonly task: Task }
  | { readonly approaches: readonly Approach[]; readonly more: boolean }

export const findResource = defineQuery({
  name: 'find-resource',
  run: async (reader, asked: AskedResource): Promise<FoundResource> => {
    const project = await visibleProject(reader, asked)
    const { projectId, part, agentId } = asked
    if (part === 'project') return { project }
    if (part === 'tasks') {
      const filter = { projectId, ...(agentId !== null && { assignedTo: agentId }) }
      const found = await tasksPage(reader, filter, { ...newest, limit: mostTasks + 1 })
      return { tasks: found.slice(0, mostTasks), more: found.length > mostTasks }
    }
    if (part === 'approaches') {
      const found = await approachesOfProject(reader, { projectId, after: '', limit: mostApproaches + 1, kind: undefined })
      return { approaches: found.slice(0, mostApproaches).map(approachOf), more: found.length > mostApproaches }
    }
    const place = { projectId, taskId: part.taskId }
    return { task: taskOf(await (agentId === null ? existingTask(reader, place) : taskOfAgent(reader, place, agentId))) }
  },
})

async function visibleProject(reader: Reader, { projectId, agentId }: AskedResource): Promise<Project> {
  const project = await findProject(reader, projectId)
  if (!project || (agentId !== null && !project.agentIds.includes(agentId))) throw noSuchProject(projectId)
  return project
}
