/** `respond_chat` (NA7, NA8): the answer to what was handed over. */
import * as z from 'zod'
import { answerChat, findAnswered } from '../../../services/answer-chat.ts'
import { agentSessionToken, clientId, content } from '../arguments.ts'
import { defineTool, writes } from '../tool.ts'

export const respondChat = defineTool({
  name: 'respond_chat',
  title: 'Answer in the chat',
  description:
    'Sends your answer to whoever wrote the messages that get_pending_messages handed you, and marks exactly those as answered. ' +
    'This is the only way people see what you write. Markdown is shown. One answer for all of them is enough. ' +
    'Use empty content to mark them as read without an answer. Then call get_next_action again.',
  annotations: writes,
  input: z.strictObject({
    session_token: agentSessionToken,
    content: content.describe('Your answer; empty marks the messages as read and says nothing'),
    client_id: clientId,
  }),
  output: z.object({
    message_id: z.string().nullable().describe('Your message; null when content was empty'),
    seq: z.int().nullable(),
    answered: z.array(z.string()).describe('The ids of the messages that are answered now'),
  }),
  run: async (args, call) => {
    const caller = await call.doors.agents.caller(call.presented, args.session_token)
    const { store } = call.doors
    const { messageId, seq, answered } = await store.run(answerChat, {
      ...caller,
      ...(await store.query(findAnswered, caller)),
      content: args.content,
      clientId: args.client_id,
    })
    return { message_id: messageId, seq, answered: [...answered] }
  },
})
