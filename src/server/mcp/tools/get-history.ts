/** `get_history` (CX3): what was said in the conversation before. */
import * as z from 'zod'
import { readOwnHistory } from '../../../services/read-own-history.ts'
import { agentSessionToken } from '../arguments.ts'
import { defineTool, reads } from '../tool.ts'

const most = 100

export const getHistory = defineTool({
  name: 'get_history',
  title: 'Read what was said before',
  description:
    'Gives the messages of the conversation you are in, oldest first: the newest ones, or those before `before`, of a `day`, or ' +
    'those in which the words of `q` stand. Use it when what you were told at the beginning is not enough.',
  annotations: reads,
  input: z.strictObject({
    session_token: agentSessionToken,
    before: z.int().min(1).optional().describe('Only messages with a lower seq; `before` of the answer goes on from there'),
    day: z.string().max(10).optional().describe('A day, as 2026-11-15'),
    q: z.string().min(1).max(1000).optional().describe('Words to look for'),
    limit: z.int().min(1).max(most).optional(),
  }),
  output: z.object({
    conversation: z.string(),
    messages: z.array(
      z.object({ seq: z.int(), sender: z.string(), role: z.string(), content: z.string(), created_at: z.string() }),
    ),
    before: z.int().nullable(),
  }),
  run: async ({ session_token, limit = 50, ...wanted }, call) => {
    const caller = await call.doors.agents.caller(call.presented, session_token)
    const asked = { ...caller, ...wanted, contextId: call.presented.contextId, limit }
    if (wanted.q !== undefined) await call.doors.search.catchUp()
    const { key, messages, before } = await call.doors.store.query(readOwnHistory, asked)
    const told = messages.map(({ createdAt: created_at, ...message }) => ({ ...message, created_at }))
    return { conversation: key, messages: told, before }
  },
})
