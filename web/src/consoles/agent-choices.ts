/** Whom one can put into a role: those of the project, and those who first have to become so. */
import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { addDetected, addedAs, detectedAgents, draftOf } from '../agents/detected.ts'
import { withAssignment } from '../live/home.ts'
import { changeHome, client, useHome, useMay } from '../live/queries.ts'
import { useWords } from '../translations/messages.tsx'

export interface AgentChoice {
  readonly value: string
  readonly name: string
  readonly group?: string
  /** Makes it an agent of the project, where it is none; resolves to its id. */
  readonly ready: () => Promise<string>
}

export function useAgentChoices(project: Project): readonly AgentChoice[] {
  const { console: words } = useWords()
  const agents = useHome()?.agents ?? []
  const found = useQuery({ ...detectedAgents, enabled: useMay('manage') }).data ?? []
  const prompted = agents.filter(({ protocol, command }) => protocol === 'acp' && command !== null)
  const isOurs = ({ id }: Agent): boolean => project.agentIds.includes(id)
  const nameOf = ({ id, name }: Agent): string =>
    prompted.some((other) => other.id !== id && other.name === name) ? `${name} (${id})` : name
  return [
    ...prompted
      .filter(isOurs)
      .map((agent) => ({ value: agent.id, name: nameOf(agent), ready: async () => agent.id })),
    ...prompted
      .filter((agent) => !isOurs(agent))
      .map((agent) => ({
        value: agent.id,
        name: nameOf(agent),
        group: words.otherAgents,
        ready: () => assign(project.id, agent.id),
      })),
    ...found
      .filter((each) => each.draft.protocol === 'acp' && addedAs(each, agents).length === 0)
      .map((each) => ({
        value: `installed ${each.id}`,
        name: each.version === null ? each.name : `${each.name} ${each.version}`,
        group: words.installedAgents,
        ready: async () => assign(project.id, (await addDetected(draftOf(each, agents))).id),
      })),
  ]
}

async function assign(projectId: string, agentId: string): Promise<string> {
  await client.put('/api/projects/{projectId}/agents/{agentId}', { params: { projectId, agentId } })
  changeHome((home) => withAssignment(home, projectId, agentId, true))
  return agentId
}
