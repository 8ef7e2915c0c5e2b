/** `get_resume_context` (RS2): what is known about work that was interrupted and is taken up. */
import * as z from 'zod'
import { getResumeContext as contextFor } from '../../../services/get-resume-context.ts'
import { agentSessionToken } from '../arguments.ts'
import { ToldResumeContext, toldResumeContext } from '../told-resume-context.ts'
import { defineTool, reads } from '../tool.ts'

export const getResumeContext = defineTool({
  name: 'get_resume_context',
  title: 'Read what is known about resumed work',
  description:
    'Gives what is known about the work you have taken up: how it stood, the task it was at, what failed and must not be tried again ' +
    '(avoid), what worked, what to try next, and what remains. null when your work was begun anew. get_next_action gives it once, ' +
    'with resume_work; call this when you need to read it again.',
  annotations: reads,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({ resume_context: ToldResumeContext.nullable() }),
  run: async ({ session_token }, call) => {
    const context = await call.doors.store.query(contextFor, await call.doors.agents.caller(call.presented, session_token))
    return { resume_context: context && toldResumeContext(context) }
  },
})
