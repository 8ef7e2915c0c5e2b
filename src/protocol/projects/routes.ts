/** Projects and the agents assigned to them. */
import * as z from 'zod'
import { Assignment, AssignmentDraft } from '../agents/isolation.ts'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { line, Time } from '../text.ts'
import { Project, ProjectChange, ProjectDraft } from './project.ts'

export const projectRoutes = {
  listProjects: route({
    method: 'GET',
    path: '/api/projects',
    summary: 'List the projects, newest first',
    ...listOf(Project),
  }),
  createProject: route({
    method: 'POST',
    path: '/api/projects',
    summary:
      'Create a project; to choose its path, `permission.policy` or `agent.runs_on` needs ' +
      '`manage`',
    body: ProjectDraft,
    status: 201,
    answer: Project,
  }),
  listFolders: route({
    method: 'GET',
    path: '/api/folders',
    summary:
      'List the folders in a folder of the server’s machine, to choose one for a project; ' +
      'without `path` those of the home folder',
    query: z.object({ path: line(4096).optional() }),
    answer: z.object({
      path: z.string(),
      parent: z.string().nullable(),
      hasGit: z.boolean().describe('It is in a git repository'),
      items: z.array(z.object({ name: z.string(), path: z.string(), hasGit: z.boolean() })),
      more: z.boolean().describe('There are more than are listed'),
    }),
  }),
  listRepositories: route({
    method: 'GET',
    path: '/api/repositories',
    summary:
      'List git repositories of the server’s machine, below the home folder or the allowed ' +
      'roots, to begin a project with one; the latest change first',
    answer: z.object({
      items: z.array(
        z.object({
          name: z.string(),
          path: z.string(),
          changedAt: Time.nullable().describe('When its HEAD moved last: a commit, a checkout'),
        }),
      ),
      more: z.boolean().describe('There are more than are listed'),
    }),
  }),
  getProject: route({
    method: 'GET',
    path: '/api/projects/{projectId}',
    summary: 'Read a project',
    answer: Project,
  }),
  changeProject: route({
    method: 'PATCH',
    path: '/api/projects/{projectId}',
    summary:
      "Change a project's name, path or settings; the path, `permission.policy` and " +
      '`agent.runs_on` need `manage`',
    body: ProjectChange,
    answer: Project,
  }),
  deleteProject: route({
    method: 'DELETE',
    path: '/api/projects/{projectId}',
    summary: 'Delete a project; its folder and its files stay',
  }),
  assignAgent: route({
    method: 'PUT',
    path: '/api/projects/{projectId}/agents/{agentId}',
    summary:
      'Assign an agent to a project; to choose how its processes are isolated there needs ' +
      '`manage`',
    body: AssignmentDraft.optional(),
    answer: Project,
  }),
  getAssignment: route({
    method: 'GET',
    path: '/api/projects/{projectId}/agents/{agentId}',
    summary: "Read how an agent's processes are isolated in a project",
    answer: Assignment,
  }),
  unassignAgent: route({
    method: 'DELETE',
    path: '/api/projects/{projectId}/agents/{agentId}',
    summary: 'Take an agent off a project',
  }),
}
