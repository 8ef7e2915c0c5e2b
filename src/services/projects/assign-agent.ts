/** Assigns an agent to a project. Assigning it again changes nothing. */
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { selectAgent } from '../../store/agents/agents.ts'
import { findProject, insertAssignment } from '../../store/projects/projects.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchAgent, noSuchProject } from '../refusals.ts'

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
