/** Finds what an MCP resource of a project holds: the project, its tasks, its approaches. */
import type { Project } from '../../protocol/projects/project.ts'
import type { Approach } from '../../protocol/work/approach.ts'
import type { Task } from '../../protocol/work/task.ts'
import { newest } from '../../store/page-cursor.ts'
import { findProject } from '../../store/projects/projects.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { approachesOfProject, approachOf } from '../../store/work/approaches.ts'
import { taskOf, tasksPage } from '../../store/work/tasks.ts'
import type { ResourceName } from '../projects/queries.ts'
import { noSuchProject } from '../refusals.ts'
import { existingTask, taskOfAgent } from './change-task.ts'

/** Items in a resource, the newest. It says if there are more. */
const maxTasks = 1000

const maxApproaches = 1000

/** `agentId` restricts to what that agent may see. Null for all. */
type ResourceQuery = ResourceName & { readonly agentId: string | null }

export type FoundResource =
  | { readonly project: Project }
  | { readonly tasks: readonly Task[]; readonly more: boolean }
  | { readonly task: Task }
  | { readonly approaches: readonly Approach[]; readonly more: boolean }

/** Returns a project's MCP resource (MC4): the project, tasks or approaches. */
export const findResource = defineQuery('find-resource', {
  scope: 'read',
  on: 'project',
  run: (reader, named: ResourceName) => resourceOf(reader, { ...named, agentId: null }),
})

/** The same for an agent, which sees its own projects and tasks (SE3). */
export const findOwnResource = defineQuery('find-own-resource', {
  scope: 'agent',
  on: 'caller',
  run: (reader, own: ResourceName & { readonly agentId: string }) => resourceOf(reader, own),
})

async function resourceOf(reader: Reader, wanted: ResourceQuery): Promise<FoundResource> {
  const project = await visibleProject(reader, wanted)
  const { projectId, part, agentId } = wanted
  if (part === 'project') return { project }
  if (part === 'tasks') {
    const filter = { projectId, ...(agentId !== null && { assignedTo: agentId }) }
    const found = await tasksPage(reader, filter, { ...newest, limit: maxTasks + 1 })
    return { tasks: found.slice(0, maxTasks), more: found.length > maxTasks }
  }
  if (part === 'approaches') {
    const found = await approachesOfProject(reader, {
      projectId,
      after: '',
      limit: maxApproaches + 1,
      kind: undefined,
    })
    return {
      approaches: found.slice(0, maxApproaches).map(approachOf),
      more: found.length > maxApproaches,
    }
  }
  const place = { projectId, taskId: part.taskId }
  return {
    task: taskOf(
      await (agentId === null ? existingTask(reader, place) : taskOfAgent(reader, place, agentId)),
    ),
  }
}

async function visibleProject(
  reader: Reader,
  { projectId, agentId }: ResourceQuery,
): Promise<Project> {
  const project = await findProject(reader, projectId)
  if (!project || (agentId !== null && !project.agentIds.includes(agentId)))
    throw noSuchProject(projectId)
  return project
}
