/** `get_my_task`: the task an agent session is at. */
import * as z from 'zod'
import { getMyTask as getTaskOf } from '../../../services/get-my-task.ts'
import { agentSessionToken } from '../arguments.ts'
import { snakeFields } from '../snake-case.ts'
import { ToldDecisions } from '../told-resume-context.ts'
import { ToldTask } from '../told-task.ts'
import { defineTool, reads } from '../tool.ts'

export const getMyTask = defineTool({
  name: 'get_my_task',
  title: 'Read your task',
  description:
    'Gives the task that is assigned to you and in progress, or null when you have none, and what people decided about what you ' +
    'asked for it (decisions, with their feedback). get_next_action gives both too; ' +
    'call this when you need to read it again.',
  annotations: reads,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({ task: ToldTask.nullable(), decisions: ToldDecisions }),
  run: async ({ session_token }, call) => {
    const { task, decisions } = await call.doors.store.query(
      getTaskOf,
      await call.doors.agents.caller(call.presented, session_token),
    )
    return { task: task && snakeFields(task), decisions: decisions.map(snakeFields) }
  },
})
