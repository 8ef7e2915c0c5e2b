/** The tasks of a project (TK). */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Task, TaskChange, TaskDraft, taskStatuses } from '../task.ts'

const project = z.object({ projectId: z.string().max(200) })
const task = project.extend({ taskId: z.string().max(200) })

export const taskRoutes = {
  listTasks: {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks',
    scope: 'read',
    summary: 'List the tasks of a project, newest first',
    params: project,
    query: PageQuery.extend({ status: z.enum(taskStatuses).optional(), workSessionId: z.string().max(200).optional() }),
    status: 200,
    answer: pageOf(Task),
  },
  createTask: {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks',
    scope: 'write',
    summary: 'Create a task in a work session; it is blocked while a task it depends on is unfinished',
    params: project,
    body: TaskDraft,
    status: 201,
    answer: Task,
  },
  getTask: {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    scope: 'read',
    summary: 'Read a task',
    params: task,
    status: 200,
    answer: Task,
  },
  changeTask: {
    method: 'PATCH',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    scope: 'write',
    summary: 'Change a task: its status, progress, agent, dependencies, result, words',
    params: task,
    body: TaskChange,
    status: 200,
    answer: Task,
  },
} as const satisfies Record<string, Route>
