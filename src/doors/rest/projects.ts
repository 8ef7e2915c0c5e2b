/** REST handlers for projects and their assigned agents. */
import type { projectRoutes } from '../../protocol/projects/routes.ts'
import { deleteProject } from '../../services/flows/projects/delete-project.ts'
import { unassignAgent } from '../../services/flows/projects/unassign-agent.ts'
import {
  assignAgent,
  changeProject,
  createProject,
  getAssignment,
} from '../../services/projects/change-project.ts'
import { getProject, listProjects } from '../../services/projects/queries.ts'
import { allowed, by, type HandlersOf, query, run } from './handler.ts'

export const projectHandlers: HandlersOf<typeof projectRoutes> = {
  listProjects: by(listProjects, async ({ query: page, who, deps: { app, folders } }) => {
    const { items, nextCursor } = await app.read(listProjects, page, who)
    return { items: await Promise.all(items.map((project) => folders.shown(project))), nextCursor }
  }),
  listFolders: allowed({ scope: 'manage', on: 'nobody' }, ({ query: { path }, deps }) =>
    deps.folders.list(path),
  ),
  listRepositories: allowed({ scope: 'manage', on: 'nobody' }, ({ deps }) =>
    deps.folders.repositories(),
  ),
  createProject: by(createProject, async ({ body, who, deps: { app, folders }, receipt }) => {
    const { id: by, scopes } = who
    return app.run(
      createProject,
      { ...body, by, scopes, look: await folders.look(body.path) },
      who,
      receipt,
    )
  }),
  getProject: by(getProject, async ({ params, who, deps: { app, folders } }) =>
    folders.shown(await app.read(getProject, params, who)),
  ),
  changeProject: by(changeProject, async (call) => {
    const { body, params, who, receipt } = call
    const { app, folders } = call.deps
    const { id: by, scopes } = who
    return app.run(
      changeProject,
      { ...body, ...params, by, scopes, look: await folders.look(body.path) },
      who,
      receipt,
    )
  }),
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
