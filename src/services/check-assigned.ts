/** Whether an agent may be spoken to in a project at all; one that is not assigned there is not there (404). */
import { selectAssignment } from '../store/queries/assignments.ts'
import { selectProject } from '../store/queries/projects.ts'
import type { Reader } from '../store/store.ts'
import { noSuchAgent, noSuchProject } from './refusals.ts'

export const isAssigned = async (reader: Reader, pair: { projectId: string; agentId: string }): Promise<boolean> =>
  (await reader.first(selectAssignment, { project_id: pair.projectId, agent_id: pair.agentId })) !== undefined

export async function checkAssigned(
  reader: Reader,
  { projectId, agentId }: { projectId: string; agentId: string },
): Promise<void> {
  if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  if (!(await isAssigned(reader, { projectId, agentId }))) throw noSuchAgent(agentId)
}
