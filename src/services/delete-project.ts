/** Deletes a project and takes its agents off it. Its folder and its files on disk stay. */
import { home, projectStream } from '../domain/stream/name.ts'
import { deleteAssignmentsOfProject } from '../store/queries/assignments.ts'
import { deleteProjectRow, selectProject } from '../store/queries/projects.ts'
import { defineUseCase } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const deleteProject = defineUseCase({
  name: 'delete-project',
  streams: ({ projectId }: { projectId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by }): Promise<void> => {
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    await tx.write(deleteAssignmentsOfProject, { projectId })
    await tx.write(deleteProjectRow, { id: projectId })
    tx.append(home, { type: 'project-deleted', data: { projectId, by } }, [projectStream(projectId)])
  },
})
