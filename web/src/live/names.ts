/** What to call whoever did something: people and agents by their names, what is unknown by its id. */
import { useQuery } from '@tanstack/react-query'
import { people, useHome, useMe } from './queries.ts'

export function useNames(): (id: string) => string {
  const home = useHome()
  const me = useMe()
  const known = useQuery(people).data
  return (id) =>
    (me?.id === id ? me.name : undefined) ??
    home?.agents.find((agent) => agent.id === id)?.name ??
    known?.find((person) => person.id === id)?.name ??
    id
}

/** An agent and a project by their names. */
export function useAgentAndProject({ agentId, projectId }: { agentId: string; projectId: string }) {
  const home = useHome()
  return {
    agent: home?.agents.find(({ id }) => id === agentId)?.name ?? agentId,
    project: home?.projects.find(({ id }) => id === projectId)?.name ?? projectId,
  }
}
