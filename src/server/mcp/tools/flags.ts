/** `get_flags` and `set_flags` (CX3, CV3): the flags of the conversation an agent is in. */
import * as z from 'zod'
import { Flags } from '../../../protocol/conversation.ts'
import { getConversation } from '../../../services/get-conversation.ts'
import { findOwnConversation } from '../../../services/own-conversation.ts'
import { setFlags as setFlagsOf } from '../../../services/set-flags.ts'
import { agentSessionToken } from '../arguments.ts'
import { defineTool, reads, type ToolCall, writesOnce } from '../tool.ts'

async function keyOf(call: ToolCall, token: string | undefined): Promise<string> {
  const caller = await call.doors.agents.caller(call.presented, token)
  return (await call.doors.store.query(findOwnConversation, { ...caller, contextId: call.presented.contextId })).key
}

export const getFlags = defineTool({
  name: 'get_flags',
  title: 'Read the flags of the conversation',
  description: 'Gives the flags of the conversation you are in, as programs around it have set them.',
  annotations: reads,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({ conversation: z.string(), flags: Flags }),
  run: async ({ session_token }, call) => {
    const key = await keyOf(call, session_token)
    return { conversation: key, flags: (await call.doors.store.query(getConversation, { key })).flags }
  },
})

export const setFlags = defineTool({
  name: 'set_flags',
  title: 'Set the flags of the conversation',
  description:
    'Replaces the flags of the conversation you are in; read them with get_flags first and keep what you do not change.',
  annotations: writesOnce,
  input: z.strictObject({ session_token: agentSessionToken, flags: Flags }),
  output: z.object({ conversation: z.string(), flags: Flags }),
  run: async ({ session_token, flags }, call) => {
    const key = await keyOf(call, session_token)
    return { conversation: key, flags: await call.doors.store.run(setFlagsOf, { key, flags }) }
  },
})
