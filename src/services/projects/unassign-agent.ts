/** Unassigns an agent from a project and ends its sessions there. A repeated request changes nothing. */
import { home, projectStream } from '../../domain/stream-name.ts'
import { liveOfPair } from '../../store/agent-sessions/agent-sessions.ts'
import { selectAgent } from '../../store/agents/agents.ts'
import { revokeOfPair } from '../../store/approvals/allowances.ts'
import { deletePanelsOfPair } from '../../store/conversations/panels.ts'
import { deleteAssignment, selectAssignment, selectProject } from '../../store/projects/projects.ts'
import { defineUseCase } from '../../store/store.ts'
import { revokeAgentSessions } from '../agent-sessions/revoke-agent-sessions.ts'
import { noSuchAgent, noSuchProject } from '../refusals.ts'

export const unassignAgent = defineUseCase({
  name: 'unassign-agent',
  streams: ({ projectId }: { projectId: string; agentId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, agentId, by }, context): Promise<void> => {
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    if (!(await tx.first(selectAgent, { id: agentId }))) throw noSuchAgent(agentId)
    const pair = { project_id: projectId, agent_id: agentId }
    if (!(await tx.first(selectAssignment, pair))) return
    await tx.write(deleteAssignment, pair)
    await tx.write(deletePanelsOfPair, pair)
    await tx.write(revokeOfPair, { projectId, agentId, now: context.now, by })
    await revokeAgentSessions(tx, await liveOfPair(tx, { projectId, agentId }), context)
    tx.append(home, { type: 'agent-unassigned', data: { projectId, agentId, by } }, [projectStream(projectId)])
  },
})
