/** Assigns agents to projects and unassigns them. */
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { liveOfPair } from '../../store/agent-sessions/agent-sessions.ts'
import { selectAgent } from '../../store/agents/agents.ts'
import { revokeOfPair } from '../../store/approvals/allowances.ts'
import { deletePanelsOfPair } from '../../store/conversations/panels.ts'
import {
  deleteAssignment,
  findProject,
  insertAssignment,
  selectAssignment,
  selectProject,
} from '../../store/projects/projects.ts'
import { defineUseCase } from '../../store/store.ts'
import { revokeAgentSessions } from '../agent-sessions/revoke-agent-sessions.ts'
import { noSuchAgent, noSuchProject } from '../refusals.ts'

/** Assigns an agent to a project. Assigning it again changes nothing. */
export const assignAgent = defineUseCase({
  name: 'assign-agent',
  streams: ({ projectId }: { projectId: string; agentId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, agentId, by }, { now }): Promise<Project> => {
    const project = await findProject(tx, projectId)
    if (!project) throw noSuchProject(projectId)
    if (!(await tx.first(selectAgent, { id: agentId }))) throw noSuchAgent(agentId)
    if (project.agentIds.includes(agentId)) return project
    await tx.write(insertAssignment, { project_id: projectId, agent_id: agentId, created_at: now })
    tx.append(home, { type: 'agent-assigned', data: { projectId, agentId, by } }, [projectStream(projectId)])
    return (await findProject(tx, projectId)) ?? project
  },
})

/** Unassigns an agent from a project and ends its sessions there. A repeated request changes nothing. */
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
