/**
 * MCP resources (MC4): readable parts of a project as JSON with snake_case names. Listed per
 * project; tasks are read through their template. Subscriptions are not supported: get_next_action
 * reports changes, and a restart must cost a client nothing (MC1).
 */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import type { App } from '../../services/app.ts'
import {
  listProjects,
  listProjectsOfAgent,
  type ResourceName,
} from '../../services/projects/queries.ts'
import {
  type FoundResource,
  findOwnResource,
  findResource,
} from '../../services/work/find-resource.ts'
import { snakeFields } from './tool.ts'

const scheme = 'holdfast://projects/'
const mimeType = 'application/json'
const projectsPerPage = 100

interface Listed {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

/** A type, not an interface: it must fit the SDK's open result type. */
type Read = { uri: string; mimeType: string; text: string }

export const resourceTemplates = [
  {
    uriTemplate: `${scheme}{project_id}`,
    name: 'project',
    title: 'A project',
    description: 'Its name, the folder of its repository, its settings and its agents.',
    mimeType,
  },
  {
    uriTemplate: `${scheme}{project_id}/tasks`,
    name: 'tasks',
    title: 'The tasks of a project',
    description: 'The newest 1000, without their descriptions and results. An agent sees its own.',
    mimeType,
  },
  {
    uriTemplate: `${scheme}{project_id}/tasks/{task_id}`,
    name: 'task',
    title: 'A task',
    description: 'All of it. An agent sees its own.',
    mimeType,
  },
  {
    uriTemplate: `${scheme}{project_id}/approaches`,
    name: 'approaches',
    title: 'What was learned in a project',
    description: 'What worked, what failed and what could be tried: the first 1000 by id.',
    mimeType,
  },
]

export async function listResources(
  app: App,
  who: Who,
  cursor: string | undefined,
): Promise<{ resources: Listed[]; nextCursor?: string }> {
  const { items, nextCursor } = await readableProjects(app, who, {
    limit: projectsPerPage,
    cursor,
  })
  const resources = items.flatMap(({ id, name }) => [
    { uri: uriOf(id), name: id, title: name, description: 'The project', mimeType },
    {
      uri: `${uriOf(id)}/tasks`,
      name: `${id}/tasks`,
      title: `${name}: tasks`,
      description: 'Its tasks, newest first',
      mimeType,
    },
    {
      uri: `${uriOf(id)}/approaches`,
      name: `${id}/approaches`,
      title: `${name}: approaches`,
      description: 'What was learned in it',
      mimeType,
    },
  ])
  return nextCursor === null ? { resources } : { resources, nextCursor }
}

async function readableProjects(
  app: App,
  who: Who,
  page: PageQuery,
): Promise<Page<{ id: string; name: string }>> {
  if (who.kind !== 'agent') return app.read(listProjects, page, who)
  if (!who.launch) return app.read(listProjectsOfAgent, { ...page, agentId: who.id }, who)
  // CO4: a launch belongs to one project, even if its agent works on others.
  const { projectId } = who.launch
  const found = await findOrNothing(app, who, { projectId, part: 'project' })
  return { items: found && 'project' in found ? [found.project] : [], nextCursor: null }
}

/** Returns undefined when the resource does not exist or is not visible to the caller. */
export async function readResource(
  app: App,
  who: Who,
  uri: string,
): Promise<{ contents: [Read] } | undefined> {
  const named = resourceNamed(uri)
  if (!named || (who.launch && who.launch.projectId !== named.projectId)) return undefined
  const found = await findOrNothing(app, who, named)
  return found && { contents: [{ uri, mimeType, text: JSON.stringify(contentOf(found)) }] }
}

/** SE3: an agent reads its own, other callers what they may read. */
async function findOrNothing(
  app: App,
  who: Who,
  named: ResourceName,
): Promise<FoundResource | undefined> {
  try {
    if (who.kind !== 'agent') return await app.read(findResource, named, who)
    return await app.read(findOwnResource, { ...named, agentId: who.id }, who)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  }
}

const uriOf = (projectId: string): string => scheme + encodeURIComponent(projectId)

/** `holdfast://projects/P`, `…/tasks`, `…/tasks/T`, `…/approaches`. */
function resourceNamed(uri: string): ResourceName | undefined {
  if (!uri.startsWith(scheme)) return undefined
  const [projectId, part, taskId, ...rest] = uri.slice(scheme.length).split('/').map(decoded)
  if (!projectId || rest.length > 0) return undefined
  if (part === undefined) return { projectId, part: 'project' }
  if (part === 'approaches') return taskId === undefined ? { projectId, part } : undefined
  if (part !== 'tasks') return undefined
  if (taskId === undefined) return { projectId, part: 'tasks' }
  return taskId ? { projectId, part: { taskId } } : undefined
}

/** Returns '' for text that cannot be an id; PostgreSQL refuses NUL. */
function decoded(part: string): string {
  try {
    const id = decodeURIComponent(part)
    return id.includes('\u0000') ? '' : id
  } catch {
    return ''
  }
}

function contentOf(found: FoundResource): object {
  if ('project' in found) return snakeFields(found.project)
  if ('task' in found) return snakeFields(found.task)
  if ('approaches' in found)
    return { approaches: found.approaches.map(snakeFields), more: found.more }
  const tasks = found.tasks.map(({ description: _, result: __, ...task }) => ({
    ...snakeFields(task),
    uri: `${uriOf(task.projectId)}/tasks/${encodeURIComponent(task.id)}`,
  }))
  return { tasks, more: found.more }
}
