/** Projects and the agents assigned to them. */
import * as z from 'zod'
import { Assignment, AssignmentDraft } from '../agents/isolation.ts'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { line } from '../text.ts'
import { Project, ProjectChange, ProjectDraft } from './project.ts'

export const projectRoutes = {
  listProjects: route(
    'GET /api/projects',
    'read',
    listOf(Project),
  )`List the projects, newest first`,
  createProject: route('POST /api/projects', 'write', {
    body: ProjectDraft,
    status: 201,
    answer: Project,
  })`
    Create a project; to choose its path, \`permission.policy\` or \`agent.runs_on\` needs \`manage\``,
  listFolders: route('GET /api/folders', 'manage', {
    query: z.object({ path: line(4096).optional() }),
    answer: z.object({
      path: z.string(),
      parent: z.string().nullable(),
      hasGit: z.boolean().describe('It is in a git repository'),
      items: z.array(z.object({ name: z.string(), path: z.string(), hasGit: z.boolean() })),
      more: z.boolean().describe('There are more than are listed'),
    }),
  })`
    List the folders in a folder of the server’s machine, to choose a project’s; without \`path\` the home folder`,
  getProject: route('GET /api/projects/{projectId}', 'read', { answer: Project })`Read a project`,
  changeProject: route('PATCH /api/projects/{projectId}', 'write', {
    body: ProjectChange,
    answer: Project,
  })`
    Change a project's name, path or settings; the path, \`permission.policy\` and \`agent.runs_on\` need \`manage\``,
  deleteProject: route(
    'DELETE /api/projects/{projectId}',
    'manage',
  )`Delete a project; its folder and its files stay`,
  assignAgent: route('PUT /api/projects/{projectId}/agents/{agentId}', 'write', {
    body: AssignmentDraft.optional(),
    answer: Project,
  })`
    Assign an agent to a project; to choose how its processes are isolated there needs \`manage\``,
  getAssignment: route('GET /api/projects/{projectId}/agents/{agentId}', 'read', {
    answer: Assignment,
  })`
    Read how an agent's processes are isolated in a project`,
  unassignAgent: route(
    'DELETE /api/projects/{projectId}/agents/{agentId}',
    'write',
  )`Take an agent off a project`,
}
