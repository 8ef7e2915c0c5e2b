/** MCP tools for chats: taking, answering and sending messages, history, flags and summaries. */
import * as z from 'zod'
import { maxSummaryChars } from '../../domain/conversations/messages.ts'
import { Flags } from '../../protocol/conversations/conversation.ts'
import { Message, priorities } from '../../protocol/conversations/message.ts'
import { Id } from '../../protocol/text.ts'
import { attachmentsIn } from '../../protocol/turns/prompt.ts'
import {
  setOwnFlags,
  setSummary as setSummaryOf,
} from '../../services/conversations/change-conversation.ts'
import {
  findOwnConversation,
  readOwnFlags,
  readOwnHistory,
} from '../../services/conversations/own-conversation.ts'
import { answerChat } from '../../services/flows/messages/answer-chat.ts'
import { handOverMessages } from '../../services/flows/messages/hand-over-messages.ts'
import { sendMessage as sendMessageTo } from '../../services/flows/messages/post-message.ts'
import { agentTool, clientId, content, reads, snakeFields, writes, writesOnce } from './tool.ts'

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
  const parts = attachmentsIn(media).map((part) =>
    part.type === 'image' ? { ...part, base64: null } : part,
  )
  return parts.length === 0 ? {} : { attachments: parts }
}

/** `get_pending_messages` (NA7): returns unread messages. */
export const getPendingMessages = agentTool({
  name: 'get_pending_messages',
  does: handOverMessages,
  title: 'Get the messages that wait for you',
  description:
    'Returns the messages that people or other agents have written to you and that you ' +
    'have not answered, the most urgent first. Call it when get_next_action says so. ' +
    'Read all of them, do what they ask, then answer with one respond_chat. Until you ' +
    'have answered, you get the same messages again. `history` is what was said before ' +
    'you came; `summary` replaces the older part of the conversation, if there is one; ' +
    'read more with get_history.',
  annotations: writesOnce,
  output: {
    messages: z.array(HandedOver),
    summary: z.string().nullable(),
    conversation: z
      .string()
      .nullable()
      .describe('The key of the conversation they are in; you answer there'),
    history: z
      .string()
      .nullable()
      .describe('At the first call in a conversation: who is in it and what was said before'),
  },
  run: async (_, { caller, deps: { app, fileOperations }, presented: { who } }) => {
    const { messages, senders, summary, conversationKey, primer } = await app.run(
      handOverMessages,
      caller,
      who,
    )
    if (conversationKey !== null) await fileOperations.keepBefore(caller)
    const handed = messages.map((message, at) =>
      HandedOver.parse(
        snakeFields({
          ...message,
          ...attached(message.media),
          senderName: senders[at] ?? message.senderId,
        }),
      ),
    )
    return { messages: handed, summary, conversation: conversationKey, history: primer }
  },
})

/** `respond_chat` (NA7, NA8): answers the messages taken before. */
export const respondChat = agentTool({
  name: 'respond_chat',
  does: answerChat,
  title: 'Answer in the chat',
  description:
    'Answers the messages that get_pending_messages returned, and marks exactly those as ' +
    'answered. This is the only way people see what you write. Markdown is rendered. One ' +
    'answer for all of them is enough. Use empty content to mark them as read without an ' +
    'answer. Then call get_next_action again.',
  annotations: writes,
  input: {
    content: content.describe(
      'Your answer; empty content marks the messages as read without an answer',
    ),
    clientId,
  },
  output: {
    messageId: z.string().nullable().describe('Your message; null when content was empty'),
    seq: z.int().nullable(),
    answered: z.array(z.string()).describe('The ids of the messages that are answered now'),
  },
  run: async (answer, { caller, deps: { app, fileOperations }, presented: { who } }) => {
    const files = await fileOperations.afterPulled(caller)
    const answering = { ...caller, ...answer, files }
    const { messageId, seq, answered } = await app.run(answerChat, answering, who)
    return { messageId, seq, answered: [...answered] }
  },
})

/** `send_message` (CV10): sends a message to another agent of the project. */
export const sendMessage = agentTool({
  name: 'send_message',
  does: sendMessageTo,
  title: 'Write to another agent',
  description:
    'Sends a message to another agent of your project. Its answer reaches you like any ' +
    'message: get_next_action tells you. To answer messages you were given, use ' +
    'respond_chat instead.',
  annotations: writes,
  input: { toAgentId: Id.describe('The id of the other agent'), content: content.min(1), clientId },
  output: { messageId: z.string(), seq: z.int() },
  run: async (message, { caller, deps, presented: { who, contextId } }) => {
    const written = { ...caller, contextId, ...message }
    const { messageId, seq } = await deps.app.run(sendMessageTo, written, who)
    return { messageId, seq }
  },
})

const most = 100

/** `get_history` (CX3): returns earlier messages of the conversation. */
export const getHistory = agentTool({
  name: 'get_history',
  does: readOwnHistory,
  title: 'Read what was said before',
  description:
    'Returns the messages of the conversation you are in, oldest first: the newest ones, ' +
    'or those before `before`, of a `day`, or containing the words of `q`. Use it when ' +
    'what you were told at the beginning is not enough.',
  annotations: reads,
  input: {
    before: z
      .int()
      .min(1)
      .optional()
      .describe('Only messages with a lower seq; `before` of the answer goes on from there'),
    day: z.string().max(10).optional().describe('A day, as 2026-11-15'),
    q: z.string().min(1).max(1000).optional().describe('Words to look for'),
    limit: z.int().min(1).max(most).optional(),
  },
  output: {
    conversation: z.string(),
    messages: z.array(
      z.object({
        seq: z.int(),
        sender: z.string(),
        role: z.string(),
        content: z.string(),
        created_at: z.string(),
      }),
    ),
    before: z.int().nullable(),
  },
  run: async ({ limit = 50, ...wanted }, { caller, deps, presented: { who, contextId } }) => {
    if (wanted.q !== undefined) await deps.search.catchUp()
    const { key, messages, before } = await deps.app.read(
      readOwnHistory,
      { ...caller, ...wanted, contextId, limit },
      who,
    )
    return { conversation: key, messages: messages.map(snakeFields), before }
  },
})

/** `get_flags` and `set_flags` (CX3, CV3): flags of the agent's conversation. */
export const getFlags = agentTool({
  name: 'get_flags',
  does: readOwnFlags,
  title: 'Read the flags of the conversation',
  description:
    'Returns the flags of the conversation you are in, as set by the programs around it.',
  annotations: reads,
  output: { conversation: z.string(), flags: Flags },
  run: async (_, { caller, deps, presented: { who, contextId } }) => {
    const { key, flags } = await deps.app.read(readOwnFlags, { ...caller, contextId }, who)
    return { conversation: key, flags }
  },
})

export const setFlags = agentTool({
  name: 'set_flags',
  does: setOwnFlags,
  title: 'Set the flags of the conversation',
  description:
    'Replaces the flags of the conversation you are in; read them with get_flags first ' +
    'and keep what you do not change.',
  annotations: writesOnce,
  input: { flags: Flags },
  output: { conversation: z.string(), flags: Flags },
  run: async (wanted, { caller, deps, presented: { who, contextId } }) => {
    const change = { ...caller, ...wanted, contextId }
    const { key, flags } = await deps.app.run(setOwnFlags, change, who)
    return { conversation: key, flags }
  },
})

/** `set_summary` (NA9): replaces the older part of a conversation by a summary. */
export const setSummary = agentTool({
  name: 'set_summary',
  does: setSummaryOf,
  title: 'Summarise the conversation',
  description:
    'Stores your summary of the conversation up to and including the message ' +
    'through_seq. Call it when get_next_action says summarize_conversation, with the ' +
    'through_seq it gives. From then on agents are given the summary in place of those ' +
    'messages, so it must contain everything that will be needed: what was asked, ' +
    'decided and done, what is open, names, numbers, paths.',
  annotations: writesOnce,
  input: {
    summary: content
      .min(1)
      .max(maxSummaryChars)
      .describe('The summary of the conversation so far, including the earlier summary'),
    throughSeq: z.int().min(1).describe('The last message it covers, as get_next_action named it'),
  },
  output: { throughSeq: z.int() },
  run: async (words, { caller, deps: { app }, presented: { who, contextId } }) => {
    const { key } = await app.read(findOwnConversation, { ...caller, contextId }, who)
    const { throughSeq } = await app.run(
      setSummaryOf,
      { ...caller, conversationKey: key, ...words },
      who,
    )
    return { throughSeq }
  },
})
