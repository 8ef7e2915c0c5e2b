/**
 * The projects and agents as the page knows them, and how each event changes them. Pure: the same
 * events in any order of arrival beside an answer of ours lead to the same picture, because of two
 * versions of one thing the later one stays.
 */
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'

export interface Home {
  readonly projects: readonly Project[]
  readonly agents: readonly Agent[]
}

interface Versioned {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Newest first, as the server lists them. */
const newestFirst = (a: Versioned, b: Versioned): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1

function withThing<Thing extends Versioned>(
  list: readonly Thing[],
  thing: Thing,
): readonly Thing[] {
  const known = list.find((each) => each.id === thing.id)
  if (!known) return [...list, thing].sort(newestFirst)
  if (known.updatedAt > thing.updatedAt) return list
  return list.map((each) => (each === known ? thing : each))
}

const without = <Thing extends { readonly id: string }>(
  list: readonly Thing[],
  id: string,
): readonly Thing[] => list.filter((each) => each.id !== id)

const including = (ids: readonly string[], id: string): string[] =>
  ids.includes(id) ? [...ids] : [...ids, id]
const excluding = (ids: readonly string[], id: string): string[] =>
  ids.filter((each) => each !== id)

export const withProject = (home: Home, project: Project): Home => ({
  ...home,
  projects: withThing(home.projects, project),
})
export const withAgent = (home: Home, agent: Agent): Home => ({
  ...home,
  agents: withThing(home.agents, agent),
})

export const withoutProject = (home: Home, projectId: string): Home => ({
  projects: without(home.projects, projectId),
  agents: home.agents.map((agent) => ({
    ...agent,
    projectIds: excluding(agent.projectIds, projectId),
  })),
})

export const withoutAgent = (home: Home, agentId: string): Home => ({
  agents: without(home.agents, agentId),
  projects: home.projects.map((project) => ({
    ...project,
    agentIds: excluding(project.agentIds, agentId),
  })),
})

export function withAssignment(
  home: Home,
  projectId: string,
  agentId: string,
  assigned: boolean,
): Home {
  const change = assigned ? including : excluding
  return {
    projects: home.projects.map((each) =>
      each.id === projectId ? { ...each, agentIds: change(each.agentIds, agentId) } : each,
    ),
    agents: home.agents.map((each) =>
      each.id === agentId ? { ...each, projectIds: change(each.projectIds, projectId) } : each,
    ),
  }
}

/** The home state after an event; the same object when the event is about something else. */
export function afterEvent(home: Home, event: HoldfastEvent): Home {
  if (!('data' in event)) return home
  switch (event.type) {
    case 'project-created':
    case 'project-changed':
      return withProject(home, event.data.project)
    case 'project-deleted':
      return withoutProject(home, event.data.projectId)
    case 'agent-created':
    case 'agent-changed':
      return withAgent(home, event.data.agent)
    case 'agent-deleted':
      return withoutAgent(home, event.data.agentId)
    case 'agent-assigned':
      return withAssignment(home, event.data.projectId, event.data.agentId, true)
    case 'agent-unassigned':
      return withAssignment(home, event.data.projectId, event.data.agentId, false)
    default:
      return home
  }
}
