/** Assigns agents to projects and unassigns them. */
import type { Scope } from '../../domain/access/scopes.ts'
import { type ChosenIsolation, changedIsolation, isolationOf } from '../../domain/agents/isolation.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Assignment } from '../../protocol/agents/isolation.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { liveOfPair } from '../../store/agent-sessions/agent-sessions.ts'
import { revokeOfPair } from '../../store/approvals/allowances.ts'
import { deletePanelsOfPair } from '../../store/conversations/panels.ts'
import { findProject, selectAssignment, updateAssignment } from '../../store/projects/projects.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { revokeAgentSessions } from '../agent-sessions/agent-session-end.ts'
import { noSuchAgent, noSuchProject } from '../refusals.ts'
import { requireManage } from './choose-folder.ts'

interface AssignInput extends ChosenIsolation {
  readonly projectId: string
  readonly agentId: string
  readonly by: string
  /** Left out: the server itself. */
  readonly scopes?: readonly Scope[]
}

/** Assigns an agent to a project. Assigning it again changes nothing but how its processes are isolated there (SB1). */
export const assignAgent = defineUseCase('assign-agent', {
  streams: ({ projectId }: AssignInput) => [home, projectStream(projectId)],
  run: async (tx, { projectId, agentId, by, scopes, ...chosen }, { now }): Promise<Project> => {
    const project = await findProject(tx, projectId)
    if (!project) throw noSuchProject(projectId)
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    const pair = { project_id: projectId, agent_id: agentId }
    const before = await tx.first(selectAssignment, pair)
    const isolation = changedIsolation(before?.isolation ?? '{}', chosen)
    if (isolation !== (before?.isolation ?? '{}')) requireManage(scopes, Object.keys(chosen)[0])
    if (before) {
      if (before.isolation === isolation) return project
      await tx.write(updateAssignment, { ...pair, isolation })
      tx.append(home, { type: 'assignment-changed', data: { projectId, agentId, by } }, [projectStream(projectId)])
      return project
    }
    await tx.insert('assignments', { ...pair, isolation, created_at: now })
    tx.append(home, { type: 'agent-assigned', data: { projectId, agentId, by } }, [projectStream(projectId)])
    return (await findProject(tx, projectId)) ?? project
  },
})

/**
 * Unassigns an agent from a project and ends its sessions there. A repeated request changes nothing. What was chosen for its isolation
 * goes with it, so that needs the same right: assigned again it would run without.
 */
export const unassignAgent = defineUseCase('unassign-agent', {
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
    tx.append(home, { type: 'agent-unassigned', data: { projectId, agentId, by } }, [projectStream(projectId)])
  },
})

/** How an agent's processes are isolated in a project (SB1). */
export const getAssignment = defineQuery(
  async (reader, { projectId, agentId }: { projectId: string; agentId: string }): Promise<Assignment> => {
    const agent = await reader.row('agents', { id: agentId })
    const found = await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })
    if (!agent || !found) throw noSuchAgent(agentId)
    const { sandbox } = JSON.parse(found.isolation) as ChosenIsolation
    const effective = isolationOf(agent.isolation, found.isolation)
    return { projectId, agentId, ...isolationOf(found.isolation), sandbox: sandbox ?? null, effective }
  },
)
