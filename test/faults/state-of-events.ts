/**
 * The state that the events of `home` say there must be, built from nothing but them. The oracle
 * compares it with the rows.
 */
import { effectiveSettings } from '../../src/domain/projects/settings.ts'
import type { Person } from '../../src/protocol/access/people.ts'
import type { Agent } from '../../src/protocol/agents/agent.ts'
import type { EventBodies } from '../../src/protocol/events.ts'
import type { Project } from '../../src/protocol/projects/project.ts'

export interface State {
  readonly projects: Map<string, Project>
  readonly agents: Map<string, Omit<Agent, 'projectIds'>>
  readonly people: Map<string, Person>
  /** `project agent` */
  readonly assignments: Set<string>
}

export const emptyState = (): State => ({
  projects: new Map(),
  agents: new Map(),
  people: new Map(),
  assignments: new Set(),
})

type Known = Pick<
  EventBodies,
  | 'project-created'
  | 'project-changed'
  | 'project-deleted'
  | 'agent-created'
  | 'agent-assigned'
  | 'agent-unassigned'
  | 'person-added'
>

const apply: { [Type in keyof Known]: (state: State, body: Known[Type]) => void } = {
  'project-created': ({ projects }, { project }) => void projects.set(project.id, asToday(project)),
  'project-changed': ({ projects }, { project }) => void projects.set(project.id, asToday(project)),
  'project-deleted': ({ projects, assignments }, { projectId }) => {
    projects.delete(projectId)
    for (const pair of assignments) if (pair.startsWith(`${projectId} `)) assignments.delete(pair)
  },
  'agent-created': ({ agents }, { agent: { projectIds: _, ...agent } }) =>
    void agents.set(agent.id, agent),
  'agent-assigned': ({ assignments }, { projectId, agentId }) =>
    void assignments.add(`${projectId} ${agentId}`),
  'agent-unassigned': ({ assignments }, { projectId, agentId }) =>
    void assignments.delete(`${projectId} ${agentId}`),
  'person-added': ({ people }, { person }) => void people.set(person.id, person),
}

/** A version that did not have a setting yet meant what is its default today. */
const asToday = (project: Project): Project => ({
  ...project,
  settings: effectiveSettings(project.settings),
})

/** False: an event this load cannot have caused. */
export function applyEvent(state: State, type: string, body: unknown): boolean {
  if (!Object.hasOwn(apply, type)) return false
  apply[type as keyof Known](state, body as never)
  return true
}
