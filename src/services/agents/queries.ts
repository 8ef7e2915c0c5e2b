/** Reads about agents: entries, environments, and the projects where they are at work. */

import { type StoredEnvironment, sealedOtherwise } from '../../domain/agents/environment.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { liveOfAgent } from '../../store/agent-sessions/agent-sessions.ts'
import { agentsPage, findAgent, selectEnvironments } from '../../store/agents/agents.ts'
import { selectMeta } from '../../store/meta.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { maxRevoked } from '../agent-sessions/revoke-agent-sessions.ts'
import { noSuchAgent } from '../refusals.ts'

/** Reads one agent, its environment masked. */
export const getAgent = defineQuery({
  name: 'get-agent',
  run: async (reader, { agentId }: { agentId: string }): Promise<Agent> => {
    const agent = await findAgent(reader, agentId)
    if (!agent) throw noSuchAgent(agentId)
    return agent
  },
})

/** Lists the agents, newest first, page by page (HT1). */
export const listAgents = defineQuery({
  name: 'list-agents',
  run: async (reader, input: PageQuery): Promise<Page<Agent>> =>
    cutPage(await agentsPage(reader, pageParams(input)), input.limit),
})

/** The projects in which an agent has live sessions: what has to be locked by a use case that ends them all. */
export const findOccupiedProjects = defineQuery({
  name: 'find-occupied-projects',
  run: async (reader, { agentId }: { agentId: string }): Promise<string[]> => [
    ...new Set((await liveOfAgent(reader, agentId, maxRevoked)).map(({ projectId }) => projectId)),
  ],
})

interface KeptEnvironments {
  /** The id of the key that this store's nodes seal with; undefined until the first has said so. */
  readonly sealingKey: string | undefined
  /** `kept`: an earlier build has left plain values; `sealed`: they are sealed, and their text may still be in the files. */
  readonly plainValues: string | undefined
  /** `text` is the row's own, for a compare-and-swap. */
  readonly agents: readonly {
    readonly id: string
    readonly name: string
    readonly text: string
    readonly env: StoredEnvironment
  }[]
}

/** Reads how the values of agents' environments are kept (SE12): with which key the store says they are sealed, and whose are not. */
export const findEnvironments = defineQuery({
  name: 'find-environments',
  run: async (reader, _: object): Promise<KeptEnvironments> => {
    const rows = await reader.all(selectEnvironments, {})
    return {
      sealingKey: (await reader.first(selectMeta, { key: 'sealing_key' }))?.value,
      plainValues: (await reader.first(selectMeta, { key: 'plain_values' }))?.value,
      agents: rows.map(({ id, name, env: text }) => ({ id, name, text, env: JSON.parse(text) as StoredEnvironment })),
    }
  },
})

export interface AgentWithoutKeys {
  readonly id: string
  readonly name: string
  readonly variables: readonly string[]
}

/** The agents that cannot be started by who has this key: some of their values are sealed with another. */
export async function agentsWithoutKeys(reader: Reader, key: string | undefined): Promise<AgentWithoutKeys[]> {
  const rows = await reader.all(selectEnvironments, {})
  return rows.flatMap(({ id, name, env }) => {
    const variables = sealedOtherwise(JSON.parse(env), key)
    return variables.length === 0 ? [] : [{ id, name, variables }]
  })
}
