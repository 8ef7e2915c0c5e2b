/** Takes an agent out of a project, and ends its sessions there. */

import { home, projectStream } from '../../../domain/stream-name.ts'
import { liveOfPair } from '../../../store/agent-sessions/agent-sessions.ts'
import { revokeOfPair } from '../../../store/approvals/allowances.ts'
import { deletePanelsOfPair } from '../../../store/conversations/panels.ts'
import { selectAssignment } from '../../../store/projects/projects.ts'
import { defineUseCase } from '../../../store/store.ts'
import { requireManage } from '../../access/require-scope.ts'
import type { AssignInput } from '../../projects/change-project.ts'
import { noSuchAgent, noSuchProject } from '../../refusals.ts'
import { revokeAgentSessions } from '../agent-sessions/end-agent-session.ts'

/**
 * Unassigns an agent from a project and ends its sessions there. A repeated request changes
 * nothing. What was chosen for its isolation goes with it, so that needs the same right: assigned
 * again it would run without.
 */
export const unassignAgent = defineUseCase('unassign-agent', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: AssignInput) => [home, projectStream(projectId)],
  run: async (tx, { projectId, agentId, by, scopes }, context): Promise<void> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    const pair = { project_id: projectId, agent_id: agentId }
    const before = await tx.first(selectAssignment, pair)
    if (!before) return
    const [chosen] = Object.keys(JSON.parse(before.isolation))
    if (chosen) requireManage(scopes, chosen)
    await tx.delete('assignments', pair)
    await tx.write(deletePanelsOfPair, pair)
    await tx.write(revokeOfPair, { projectId, agentId, now: context.now, by })
    await revokeAgentSessions(tx, await liveOfPair(tx, { projectId, agentId }), context)
    tx.append(home, { type: 'agent-unassigned', data: { projectId, agentId, by } }, [
      projectStream(projectId),
    ])
  },
})
