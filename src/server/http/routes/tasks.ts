/** The tasks of a project. */
import type { taskRoutes } from '../../../protocol/routes/tasks.ts'
import { changeTask } from '../../../services/change-task.ts'
import { createTask } from '../../../services/create-task.ts'
import { getTask } from '../../../services/get-task.ts'
import { listTasks } from '../../../services/list-tasks.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const taskHandlers: HandlersOf<typeof taskRoutes> = {
  listTasks: query(listTasks, (call) => ({ ...call.query, ...call.params })),
  createTask: run(createTask, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  getTask: query(getTask, ({ params }) => params),
  changeTask: run(changeTask, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
}
