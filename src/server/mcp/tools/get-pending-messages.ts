/** `get_pending_messages` (NA7): hands over what is unread. */
import * as z from 'zod'
import { Message, priorities } from '../../../protocol/message.ts'
import { findPendingConversation } from '../../../services/find-pending-conversation.ts'
import { handOverMessages } from '../../../services/hand-over-messages.ts'
import { agentSessionToken } from '../arguments.ts'
import { defineTool, writesOnce } from '../tool.ts'

const HandedOver = z.object({
  id: Message.shape.id,
  seq: Message.shape.seq.describe('Orders the messages of the conversation'),
  sender_id: z.string().describe('The person or agent who wrote it'),
  receiver_id: z.string().nullable(),
  content: z.string(),
  priority: z.enum(priorities),
  related_task_id: z.string().nullable(),
  related_handoff_id: z.string().nullable(),
  created_at: Message.shape.createdAt,
})

export const getPendingMessages = defineTool({
  name: 'get_pending_messages',
  title: 'Get the messages that wait for you',
  description:
    'Hands you the messages that people or other agents have written to you and that you have not answered, the most urgent first. ' +
    'Call it when get_next_action says so. Read all of them, do what they ask, then answer with one respond_chat. ' +
    'Until you have answered you get the same messages again. `summary` stands for the older part of the conversation, if there is one.',
  annotations: writesOnce,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({ messages: z.array(HandedOver), summary: z.string().nullable() }),
  run: async ({ session_token }, call) => {
    const caller = await call.doors.agents.caller(call.presented, session_token)
    const { store } = call.doors
    const conversationKey = await store.query(findPendingConversation, caller)
    if (conversationKey === undefined) return { messages: [], summary: null }
    const { messages, summary } = await store.run(handOverMessages, { ...caller, conversationKey })
    return {
      messages: messages.map((message) => ({
        id: message.id,
        seq: message.seq,
        sender_id: message.senderId,
        receiver_id: message.receiverId,
        content: message.content,
        priority: message.priority,
        related_task_id: message.relatedTaskId,
        related_handoff_id: message.relatedHandoffId,
        created_at: message.createdAt,
      })),
      summary,
    }
  },
})
