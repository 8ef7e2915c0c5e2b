/** Whether an agent should be started in a project now (`get_agent_action`, CO3), for coordinators that others write. */
import { type AgentAction, agentAction } from '../domain/agent-process/start.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { checkAssigned } from './check-assigned.ts'
import { startFactsOf } from './start-facts.ts'

export const getAgentAction = defineQuery({
  name: 'get-agent-action',
  run: async (reader, pair: Pair, { now }): Promise<AgentAction> => {
    await checkAssigned(reader, pair)
    return agentAction(now, await startFactsOf(reader, pair, now))
  },
})
