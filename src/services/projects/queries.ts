/** Read queries for projects and their MCP resources (MC4). */

import type { Page, PageQuery } from '../../protocol/page.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import {
  findProject,
  type NamedProject,
  projectPaths,
  projectsOfAgentPage,
  projectsPage,
  selectProjectsAt,
} from '../../store/projects/projects.ts'
import { defineQuery } from '../../store/store.ts'
import { noSuchProject } from '../refusals.ts'

export const getProject = defineQuery('get-project', {
  scope: 'read',
  on: 'project',
  run: async (reader, { projectId }: { projectId: string }): Promise<Project> => {
    const project = await findProject(reader, projectId)
    if (!project) throw noSuchProject(projectId)
    return project
  },
})

/** Lists projects, newest first, in pages (HT1). */
export const listProjects = defineQuery('list-projects', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, input: PageQuery): Promise<Page<Project>> =>
    cutPage(await projectsPage(reader, pageParams(input)), input.limit),
})

/** The projects at any of these folders, in their order. */
export const findProjectsAt = defineQuery('find-projects-at', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, { folders }: { folders: readonly string[] }): Promise<Project[]> => {
    const found: Project[] = []
    for (const path of folders)
      for (const { id } of await reader.all(selectProjectsAt, { path })) {
        const project = await findProject(reader, id)
        if (project) found.push(project)
      }
    return found
  },
})

export const listProjectPaths = defineQuery('list-project-paths', {
  scope: 'server',
  on: 'nobody',
  run: (reader, _: Record<never, never>): Promise<string[]> => projectPaths(reader),
})

/** Lists the projects that an agent is assigned to, newest first, in pages (MC4). */
export const listProjectsOfAgent = defineQuery('list-projects-of-agent', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    { agentId, ...page }: PageQuery & { agentId: string },
  ): Promise<Page<NamedProject>> =>
    cutPage(await projectsOfAgentPage(reader, agentId, pageParams(page)), page.limit),
})

export interface ResourceName {
  readonly projectId: string
  readonly part: 'project' | 'tasks' | 'approaches' | { readonly taskId: string }
}
