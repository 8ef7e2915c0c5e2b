/** Whether an agent should be started in a project now (`get_agent_action`, CO3), for coordinators that others write. */
import { type AgentAction, agentAction } from '../domain/agent-process/start.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { checkAssigned } from './check-assigned.ts'
import { workFactsOf } from './work-facts.ts'

export const getAgentAction = defineQuery({
  name: 'get-agent-action',
  run: async (reader, pair: Pair, { now }): Promise<AgentAction> => {
    await checkAssigned(reader, pair)
    // This server orders no starts and holds no agent back; who asks starts it.
    return agentAction(now, { ...(await workFactsOf(reader, pair)), startOutstanding: false, heldBecause: null })
  },
})
