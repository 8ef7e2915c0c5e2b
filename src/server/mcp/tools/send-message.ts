/** `send_message` (CV10): to another agent of the project. */
import * as z from 'zod'
import { Id } from '../../../protocol/text.ts'
import { sendMessage as sendMessageTo } from '../../../services/send-message.ts'
import { agentSessionToken, clientId, content } from '../arguments.ts'
import { defineTool, writes } from '../tool.ts'

export const sendMessage = defineTool({
  name: 'send_message',
  title: 'Write to another agent',
  description:
    'Sends a message to another agent of your project. Its answer comes to you like any message: get_next_action tells you. ' +
    'Do not use it to answer what you were handed; that is respond_chat.',
  annotations: writes,
  input: z.strictObject({
    session_token: agentSessionToken,
    to_agent_id: Id.describe('The id of the other agent'),
    content: content.min(1),
    client_id: clientId,
  }),
  output: z.object({ message_id: z.string(), seq: z.int() }),
  run: async (args, call) => {
    const caller = await call.doors.agents.caller(call.presented, args.session_token)
    const message = {
      ...caller,
      contextId: call.presented.contextId,
      toAgentId: args.to_agent_id,
      content: args.content,
      clientId: args.client_id,
    }
    const { messageId, seq } = await call.doors.store.run(sendMessageTo, message)
    return { message_id: messageId, seq }
  },
})
