/** Reads one agent, its environment masked. */
import type { Agent } from '../protocol/agent.ts'
import { findAgent } from '../store/queries/agents.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchAgent } from './refusals.ts'

export const getAgent = defineQuery({
  name: 'get-agent',
  run: async (reader, { agentId }: { agentId: string }): Promise<Agent> => {
    const agent = await findAgent(reader, agentId)
    if (!agent) throw noSuchAgent(agentId)
    return agent
  },
})
