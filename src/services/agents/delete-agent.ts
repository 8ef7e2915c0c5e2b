/** Deletes an agent, its assignments and sessions. Its passkey stops working. */
import { home, projectStream } from '../../domain/stream-name.ts'
import { deleteAgentRow, selectAgent } from '../../store/agents/agents.ts'
import { revokeOfAgent } from '../../store/approvals/allowances.ts'
import { deletePanelsOfAgent } from '../../store/conversations/panels.ts'
import { deleteAssignmentsOfAgent } from '../../store/projects/projects.ts'
import { defineUseCase } from '../../store/store.ts'
import { revokeAllOfAgent } from '../agent-sessions/revoke-agent-sessions.ts'
import { noSuchAgent } from '../refusals.ts'

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
