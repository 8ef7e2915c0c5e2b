/** Deletes an agent and takes it off its projects; its passkey stops working and its sessions end with it. */
import { home, projectStream } from '../domain/stream/name.ts'
import { deleteAgentRow, selectAgent } from '../store/queries/agents.ts'
import { revokeOfAgent } from '../store/queries/allowances.ts'
import { deleteAssignmentsOfAgent } from '../store/queries/assignments.ts'
import { deletePanelsOfAgent } from '../store/queries/panels.ts'
import { defineUseCase } from '../store/store.ts'
import { noSuchAgent } from './refusals.ts'
import { revokeAllOfAgent } from './revoke-agent-sessions.ts'

export const deleteAgent = defineUseCase({
  name: 'delete-agent',
  streams: ({ projectIds = [] }: { agentId: string; projectIds?: readonly string[]; by: string }) => [
    home,
    ...projectIds.map(projectStream),
  ],
  run: async (tx, { agentId, projectIds = [], by }, context): Promise<void> => {
    if (!(await tx.first(selectAgent, { id: agentId }))) throw noSuchAgent(agentId)
    await revokeAllOfAgent(tx, agentId, projectIds, context)
    await tx.write(deleteAssignmentsOfAgent, { agentId })
    await tx.write(deletePanelsOfAgent, { agentId })
    await tx.write(revokeOfAgent, { agentId, now: context.now, by })
    await tx.write(deleteAgentRow, { id: agentId })
    tx.append(home, { type: 'agent-deleted', data: { agentId, by } })
  },
})
