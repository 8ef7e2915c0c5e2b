/** `get_pending_messages` (NA7): hands over what is unread. */
import * as z from 'zod'
import { Message, priorities } from '../../../protocol/message.ts'
import { findHandOver, handOverMessages } from '../../../services/hand-over-messages.ts'
import { agentSessionToken } from '../arguments.ts'
import { defineTool, writesOnce } from '../tool.ts'

const HandedOver = z.object({
  id: Message.shape.id,
  seq: Message.shape.seq.describe('Orders the messages of the conversation'),
  sender_id: z.string().describe('The person or agent who wrote it'),
  sender_name: z.string().describe('The same by name'),
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
    'Until you have answered you get the same messages again. `history` says what was said before you came, `summary` stands for the ' +
    'older part of the conversation, if there is one; more is read with get_history.',
  annotations: writesOnce,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({
    messages: z.array(HandedOver),
    summary: z.string().nullable(),
    conversation: z.string().nullable().describe('The key of the conversation they are in; you answer there'),
    history: z.string().nullable().describe('At the first call in a conversation: who is in it and what was said before'),
  }),
  run: async ({ session_token }, call) => {
    const caller = await call.doors.agents.caller(call.presented, session_token)
    const { store } = call.doors
    const keys = await store.query(findHandOver, caller)
    if (keys.length === 0) return { messages: [], summary: null, conversation: null, history: null }
    const handed = await store.run(handOverMessages, { ...caller, keys })
    const { messages, senders, summary, conversationKey, primer } = handed
    return {
      messages: messages.map((message, at) => ({
        id: message.id,
        seq: message.seq,
        sender_id: message.senderId,
        sender_name: senders[at] ?? message.senderId,
        receiver_id: message.receiverId,
        content: message.content,
        priority: message.priority,
        related_task_id: message.relatedTaskId,
        related_handoff_id: message.relatedHandoffId,
        created_at: message.createdAt,
      })),
      summary,
      conversation: conversationKey,
      history: primer,
    }
  },
})
