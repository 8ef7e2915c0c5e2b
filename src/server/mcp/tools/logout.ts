/** `logout` (AS8): an agent gives its session back. */
import * as z from 'zod'
import { agentSessionToken } from '../arguments.ts'
import { defineTool, ends } from '../tool.ts'

export const logout = defineTool({
  name: 'logout',
  title: 'End your session',
  description:
    'Ends your session. Call it when you have to stop before get_next_action said exit, for example because you cannot go on. ' +
    'Messages you have not answered go to whoever comes next. After exit it is not needed, and calling it twice does no harm.',
  annotations: ends,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({ status: z.literal('ended') }),
  run: async ({ session_token }, { doors, presented }) => {
    await doors.agents.logout(await doors.agents.caller(presented, session_token))
    return { status: 'ended' as const }
  },
})
