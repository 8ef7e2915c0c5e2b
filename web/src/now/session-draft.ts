/**
 * What a new session is prefilled with (UI14): the project in front, else the one used last, else
 * the newest with an agent; the agent and the place used there last. What is typed is kept until it
 * is sent.
 */
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'

export type Place = '' | 'checkout' | 'worktree'

/** What was used last, in all and in each project. */
export interface LastUsed {
  readonly projectId?: string
  readonly inProject?: Readonly<Record<string, { readonly agentId: string; readonly place: Place }>>
}

/** What was chosen by hand in this draft. */
export interface Chosen {
  readonly projectId?: string
  readonly agentId?: string
  /** '': as the project says. */
  readonly place?: Place
}

interface Known {
  /** Newest first. */
  readonly projects: readonly Project[]
  readonly agents: readonly Agent[]
}

interface Prefilled {
  readonly project: Project
  readonly agent: Agent
  readonly place: Place
  readonly projects: readonly Project[]
  readonly agents: readonly Agent[]
}

/** Undefined: no project has an agent. */
export function prefilled(
  { projects: all, agents: known }: Known,
  inFront: string | undefined,
  last: LastUsed,
  chosen: Chosen,
): Prefilled | undefined {
  const ids = new Set(known.map(({ id }) => id))
  const projects = all.filter(({ agentIds }) => agentIds.some((id) => ids.has(id)))
  const wanted = [chosen.projectId, inFront, last.projectId]
  const project =
    wanted.map((id) => projects.find((each) => each.id === id)).find((found) => found) ??
    projects[0]
  if (!project) return undefined
  const agents = known.filter(({ id }) => project.agentIds.includes(id))
  const used = last.inProject?.[project.id]
  const agent =
    agents.find(({ id }) => id === chosen.agentId) ??
    agents.find(({ id }) => id === used?.agentId) ??
    // One that is prompted can be started from here; one that pulls comes by itself.
    agents.find(({ protocol }) => protocol !== 'mcp') ??
    agents[0]
  if (!agent) return undefined
  return { project, agent, place: chosen.place ?? used?.place ?? '', projects, agents }
}

/** The most projects whose last use is kept. */
const mostProjects = 100

export function remembering(
  last: LastUsed,
  used: { readonly projectId: string; readonly agentId: string; readonly place: Place },
): LastUsed {
  const { projectId, agentId, place } = used
  const others = Object.entries(last.inProject ?? {}).filter(([id]) => id !== projectId)
  const kept = others.slice(-(mostProjects - 1))
  return { projectId, inProject: Object.fromEntries([...kept, [projectId, { agentId, place }]]) }
}

const storageKey = 'holdfast.new-session'

export function readLastUsed(): LastUsed {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as LastUsed
  } catch {
    return {}
  }
}

export function keepLastUsed(last: LastUsed): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(last))
  } catch {
    // Without storage the newest project is offered.
  }
}
