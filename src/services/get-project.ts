/** Reads one project. */
import type { Project } from '../protocol/project.ts'
import { findProject } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const getProject = defineQuery({
  name: 'get-project',
  run: async (reader, { projectId }: { projectId: string }): Promise<Project> => {
    const project = await findProject(reader, projectId)
    if (!project) throw noSuchProject(projectId)
    return project
  },
})
