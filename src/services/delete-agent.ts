/** Deletes an agent and takes it off its projects; its passkey stops working with it. */
import { home } from '../domain/stream/name.ts'
import { deleteAgentRow, selectAgent } from '../store/queries/agents.ts'
import { deleteAssignmentsOfAgent } from '../store/queries/assignments.ts'
import { defineUseCase } from '../store/store.ts'
import { noSuchAgent } from './refusals.ts'

export const deleteAgent = defineUseCase({
  name: 'delete-agent',
  streams: () => [home],
  run: async (tx, { agentId, by }: { agentId: string; by: string }): Promise<void> => {
    if (!(await tx.first(selectAgent, { id: agentId }))) throw noSuchAgent(agentId)
    await tx.write(deleteAssignmentsOfAgent, { agentId })
    await tx.write(deleteAgentRow, { id: agentId })
    tx.append(home, { type: 'agent-deleted', data: { agentId, by } })
  },
})
