/** Projects and the agents assigned to them. */
import type { projectRoutes } from '../../../protocol/routes/projects.ts'
import { assignAgent } from '../../../services/assign-agent.ts'
import { changeProject } from '../../../services/change-project.ts'
import { createProject } from '../../../services/create-project.ts'
import { deleteProject } from '../../../services/delete-project.ts'
import { getProject } from '../../../services/get-project.ts'
import { listProjects } from '../../../services/list-projects.ts'
import { unassignAgent } from '../../../services/unassign-agent.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const projectHandlers: HandlersOf<typeof projectRoutes> = {
  listProjects: query(listProjects, (call) => call.query),
  createProject: run(createProject, ({ body, who }) => ({ ...body, by: who.id })),
  getProject: query(getProject, ({ params }) => params),
  changeProject: run(changeProject, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  deleteProject: run(deleteProject, ({ params, who }) => ({ ...params, by: who.id })),
  assignAgent: run(assignAgent, ({ params, who }) => ({ ...params, by: who.id })),
  unassignAgent: run(unassignAgent, ({ params, who }) => ({ ...params, by: who.id })),
}
