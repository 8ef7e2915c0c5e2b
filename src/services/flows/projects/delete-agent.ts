/** Deletes an agent, its assignments and its sessions. */

import { home } from '../../../domain/stream-name.ts'
import { revokeOfAgent } from '../../../store/approvals/allowances.ts'
import { defineUseCase } from '../../../store/store.ts'
import { noSuchAgent } from '../../refusals.ts'
import { revokeAllOfAgent } from '../agent-sessions/end-agent-session.ts'

/** Deletes an agent, its assignments and sessions. Its passkey stops working. */
export const deleteAgent = defineUseCase('delete-agent', {
  scope: 'manage',
  on: 'agent',
  streams: () => [home],
  run: async (tx, { agentId, by }: { agentId: string; by: string }, context): Promise<void> => {
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    await revokeAllOfAgent(tx, agentId, context)
    await tx.delete('assignments', { agent_id: agentId })
    await tx.delete('panels', { agent_id: agentId })
    // An agent that is made anew under the same id gets none of them.
    await tx.delete('secret_agents', { agent_id: agentId })
    await tx.write(revokeOfAgent, { agentId, now: context.now, by })
    await tx.delete('agents', { id: agentId })
    tx.append(home, { type: 'agent-deleted', data: { agentId, by } })
  },
})
