/** MCP tools for chats: taking, answering and sending messages, history, flags and summaries. */
import * as z from 'zod'
import { maxSummaryChars } from '../../domain/conversations/messages.ts'
import { Flags } from '../../protocol/conversations/conversation.ts'
import { Message, priorities } from '../../protocol/conversations/message.ts'
import { Id } from '../../protocol/text.ts'
import { attachmentsIn } from '../../protocol/turns/prompt.ts'
import { findOwnConversation } from '../../services/conversations/own-conversation.ts'
import { sendMessage as sendMessageTo } from '../../services/conversations/post-message.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { readOwnHistory } from '../../services/conversations/read-own-history.ts'
import { setFlags as setFlagsOf } from '../../services/conversations/set-flags.ts'
import { setSummary as setSummaryOf } from '../../services/conversations/set-summary.ts'
import { answerChat, findAnswerTarget } from '../../services/turns/answer-chat.ts'
import { findHandOver, handOverMessages } from '../../services/turns/hand-over-messages.ts'
import { agentSessionToken, clientId, content, defineTool, reads, type ToolCall, writes, writesOnce } from '../mcp/tool.ts'

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
  attachments: z
    .array(z.unknown())
    .optional()
    .describe('Files and links that came with it; of pictures only that there are some'),
  created_at: Message.shape.createdAt,
})

function attached(media: unknown): { attachments?: unknown[] } {
  const parts = attachmentsIn(media).map((part) => (part.type === 'image' ? { ...part, base64: null } : part))
  return parts.length === 0 ? {} : { attachments: parts }
}

/** `get_pending_messages` (NA7): returns unread messages. */
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
    const caller = await call.deps.agents.caller(call.presented, session_token)
    const { store } = call.deps
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
        ...attached(message.media),
        created_at: message.createdAt,
      })),
      summary,
      conversation: conversationKey,
      history: primer,
    }
  },
})

/** `respond_chat` (NA7, NA8): answers the messages taken before. */
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
    const caller = await call.deps.agents.caller(call.presented, args.session_token)
    const { store } = call.deps
    const { messageId, seq, answered } = await store.run(answerChat, {
      ...caller,
      ...(await store.query(findAnswerTarget, caller)),
      content: args.content,
      clientId: args.client_id,
    })
    return { message_id: messageId, seq, answered: [...answered] }
  },
})

/** `send_message` (CV10): sends a message to another agent of the project. */
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
    const caller = await call.deps.agents.caller(call.presented, args.session_token)
    const message = {
      ...caller,
      contextId: call.presented.contextId,
      toAgentId: args.to_agent_id,
      content: args.content,
      clientId: args.client_id,
    }
    const { messageId, seq } = await call.deps.store.run(sendMessageTo, message)
    return { message_id: messageId, seq }
  },
})

const most = 100

/** `get_history` (CX3): returns earlier messages of the conversation. */
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
    const caller = await call.deps.agents.caller(call.presented, session_token)
    const asked = { ...caller, ...wanted, contextId: call.presented.contextId, limit }
    if (wanted.q !== undefined) await call.deps.search.catchUp()
    const { key, messages, before } = await call.deps.store.query(readOwnHistory, asked)
    const told = messages.map(({ createdAt: created_at, ...message }) => ({ ...message, created_at }))
    return { conversation: key, messages: told, before }
  },
})

async function keyOf(call: ToolCall, token: string | undefined): Promise<string> {
  const caller = await call.deps.agents.caller(call.presented, token)
  return (await call.deps.store.query(findOwnConversation, { ...caller, contextId: call.presented.contextId })).key
}

/** `get_flags` and `set_flags` (CX3, CV3): flags of the agent's conversation. */
export const getFlags = defineTool({
  name: 'get_flags',
  title: 'Read the flags of the conversation',
  description: 'Gives the flags of the conversation you are in, as programs around it have set them.',
  annotations: reads,
  input: z.strictObject({ session_token: agentSessionToken }),
  output: z.object({ conversation: z.string(), flags: Flags }),
  run: async ({ session_token }, call) => {
    const key = await keyOf(call, session_token)
    return { conversation: key, flags: (await call.deps.store.query(getConversation, { key })).flags }
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
    return { conversation: key, flags: await call.deps.store.run(setFlagsOf, { key, flags }) }
  },
})

/** `set_summary` (NA9): replaces the older part of a conversation by a summary. */
export const setSummary = defineTool({
  name: 'set_summary',
  title: 'Summarise the conversation',
  description:
    'Stores your summary of the conversation up to and including the message through_seq. Call it when get_next_action says ' +
    'summarize_conversation, with the through_seq it gives. From then on the summary is handed over in the place of those ' +
    'messages, so it must hold everything that will be needed: what was asked, decided and done, what is open, names, numbers, paths.',
  annotations: writesOnce,
  input: z.strictObject({
    session_token: agentSessionToken,
    summary: content
      .min(1)
      .max(maxSummaryChars)
      .describe('What stands for the conversation so far, the earlier summary included'),
    through_seq: z.int().min(1).describe('The last message it covers, as get_next_action named it'),
  }),
  output: z.object({ through_seq: z.int() }),
  run: async (args, call) => {
    const caller = await call.deps.agents.caller(call.presented, args.session_token)
    const conversationKey = (await call.deps.store.query(findOwnConversation, { ...caller, contextId: call.presented.contextId }))
      .key
    const summary = { ...caller, conversationKey, summary: args.summary, throughSeq: args.through_seq }
    const { throughSeq } = await call.deps.store.run(setSummaryOf, summary)
    return { through_seq: throughSeq }
  },
})
