/** REST handlers for projects and their assigned agents. */
import type { projectRoutes } from '../../protocol/projects/routes.ts'
import { deleteProject } from '../../services/flows/delete-project.ts'
import { unassignAgent } from '../../services/flows/unassign-agent.ts'
import {
  assignAgent,
  changeProject,
  createProject,
  getAssignment,
} from '../../services/projects/change-project.ts'
import { getProject, listProjects } from '../../services/projects/queries.ts'
import { type HandlersOf, query, run } from './handler.ts'

export const projectHandlers: HandlersOf<typeof projectRoutes> = {
  listProjects: async ({ query: page, deps: { store, folders } }) => {
    const { items, nextCursor } = await store.query(listProjects, page)
    return { items: await Promise.all(items.map((project) => folders.shown(project))), nextCursor }
  },
  listFolders: ({ query: { path }, deps }) => deps.folders.list(path),
  createProject: async ({ body, who, deps: { store, folders }, receipt }) => {
    const { id: by, scopes } = who
    return store.run(
      createProject,
      { ...body, by, scopes, look: await folders.look(body.path) },
      receipt,
    )
  },
  getProject: async ({ params, deps: { store, folders } }) =>
    folders.shown(await store.query(getProject, params)),
  changeProject: async ({ body, params, who, deps: { store, folders }, receipt }) => {
    const { id: by, scopes } = who
    return store.run(
      changeProject,
      { ...body, ...params, by, scopes, look: await folders.look(body.path) },
      receipt,
    )
  },
  deleteProject: run(deleteProject, ({ params, who }) => ({ ...params, by: who.id })),
  assignAgent: run(assignAgent, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
    scopes: who.scopes,
  })),
  getAssignment: query(getAssignment, ({ params }) => params),
  unassignAgent: run(unassignAgent, ({ params, who }) => ({
    ...params,
    by: who.id,
    scopes: who.scopes,
  })),
}
