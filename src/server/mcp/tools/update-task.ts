/** `update_task` (TK): how far an agent is with its task, and how it ended. */
import * as z from 'zod'
import { TaskProgress } from '../../../protocol/task.ts'
import { Id } from '../../../protocol/text.ts'
import { updateTask as updateTaskOf } from '../../../services/update-task.ts'
import { agentSessionToken } from '../arguments.ts'
import { snakeFields } from '../snake-case.ts'
import { ToldTask } from '../told-task.ts'
import { defineTool, writesOnce } from '../tool.ts'

const { status, progressPercent, result } = TaskProgress.shape

export const updateTask = defineTool({
  name: 'update_task',
  title: 'Report on your task',
  description:
    'Says how far you are with a task that is assigned to you, or that it is done. Report progress_percent now and then while you ' +
    'work. When it is done, set status to completed and say in result what you did; when it cannot be done, set status to failed ' +
    'and say why. Then call get_next_action.',
  annotations: writesOnce,
  input: z.strictObject({
    session_token: agentSessionToken,
    task_id: Id.describe('The id of the task, as get_next_action or get_my_task gave it'),
    status: status.describe('completed or failed when it is over; leave it out while you work'),
    progress_percent: progressPercent.describe('How far you are, a whole number from 0 to 100'),
    result: result.describe('What came out of it: text or any JSON'),
  }),
  output: z.object({ task: ToldTask }),
  run: async (args, call) => {
    const caller = await call.doors.agents.caller(call.presented, args.session_token)
    const change = { taskId: args.task_id, status: args.status, progressPercent: args.progress_percent, result: args.result }
    return { task: snakeFields(await call.doors.store.run(updateTaskOf, { ...caller, ...change })) }
  },
})
