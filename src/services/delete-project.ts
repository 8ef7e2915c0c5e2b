/** Deletes a project, takes its agents off it and closes what is open in it. Its folder and its files on disk stay. */
import { home, projectStream } from '../domain/stream/name.ts'
import { liveOfProject } from '../store/queries/agent-sessions.ts'
import { deleteAssignmentsOfProject } from '../store/queries/assignments.ts'
import { deletePanelsOfProject } from '../store/queries/panels.ts'
import { deleteProjectRow, selectProject } from '../store/queries/projects.ts'
import { deleteSetUp } from '../store/queries/set-ups.ts'
import { defineUseCase } from '../store/store.ts'
import { closeProjectWork } from './close-project-work.ts'
import { noSuchProject } from './refusals.ts'
import { revokeAgentSessions } from './revoke-agent-sessions.ts'

export const deleteProject = defineUseCase({
  name: 'delete-project',
  streams: ({ projectId }: { projectId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by }, context): Promise<void> => {
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    await closeProjectWork(tx, projectId, { by, now: context.now })
    await revokeAgentSessions(tx, await liveOfProject(tx, projectId), context)
    await tx.write(deleteAssignmentsOfProject, { projectId })
    await tx.write(deletePanelsOfProject, { projectId })
    await tx.write(deleteSetUp, { projectId })
    await tx.write(deleteProjectRow, { id: projectId })
    tx.append(home, { type: 'project-deleted', data: { projectId, by } }, [projectStream(projectId)])
  },
})
