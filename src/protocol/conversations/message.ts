/**
 * Messages of a chat as they cross the wire (CH3, CH6) and lie in `chat.jsonl` (CH7), and of any
 * conversation (CV1).
 */

import * as z from 'zod'
import { Notice } from '../notices.ts'
import { line, longText, Time } from '../text.ts'
import { Attachments } from '../turns/prompt.ts'
import { WorkspaceChoice } from './conversation-workspace.ts'

export const priorities = ['low', 'normal', 'high', 'urgent'] as const
const messageRoles = ['user', 'assistant', 'system', 'tool'] as const

/** Fits a body of 1 MiB with room for the rest. */
export const maxContentChars = 500_000

export const Content = longText(maxContentChars)
const Id = line(200)

export const Message = z.object({
  id: z.string(),
  seq: z.number().int(),
  conversationKey: z.string(),
  projectId: z.string().nullable(),
  senderId: z.string(),
  /** The sender's name, where a channel provides more than the id. */
  senderName: z.string().optional(),
  /** null: everybody in the conversation. */
  receiverId: z.string().nullable(),
  role: z.enum(messageRoles),
  content: z.string(),
  /** Notice of a text of the server; `after` an agent's text, see notice-words.ts. */
  notice: Notice.nullish(),
  visible: z.boolean(),
  priority: z.enum(priorities),
  clientId: z.string().nullable(),
  relatedTaskId: z.string().nullable(),
  relatedHandoffId: z.string().nullable(),
  toolCalls: z.unknown().nullable(),
  toolCallId: z.string().nullable(),
  media: z.unknown().nullable(),
  /** Other programs' fields (CV7), including `role` when it is unknown. */
  extra: z.record(z.string(), z.unknown()).nullable(),
  /** The `seq` of the message it repeats, when setHistory restored it. */
  copyOf: z.number().int().nullable(),
  createdAt: Time,
  begunAt: Time.optional().describe(
    'When its agent began to answer; it did not know what was written since',
  ),
})
export type Message = z.output<typeof Message>

export const ChatMessageDraft = z.strictObject({
  projectId: Id.optional().describe('Left out with `conversationKey`: its project'),
  toAgentId: Id.nullish().describe('null: all; left out with `conversationKey`: its agent'),
  conversationKey: Id.optional().describe('The session to write in; it must have begun'),
  content: Content.min(1),
  clientId: Id.optional(),
  /**
   * The sender; refused when the credential is another's, as in a browser where somebody else has
   * signed in since (CH10).
   */
  senderId: Id.optional(),
  priority: z.enum(priorities).optional(),
  relatedTaskId: Id.nullish(),
  relatedHandoffId: Id.nullish(),
  /**
   * CX9: the conversation's workspace; left out: the current one, or the project's default for a
   * new conversation.
   */
  workplace: WorkspaceChoice.optional(),
  media: Attachments.optional().describe('Pictures, files and links for the agent'),
})

const messageFields = {
  role: z.enum(messageRoles),
  content: Content,
  toolCalls: z.array(z.unknown()).max(1000).nullish(),
  toolCallId: Id.nullish(),
  media: z.array(z.unknown()).max(1000).nullish(),
}

/** Fields of other programs, up to the length of a message. */
export const Extra = z
  .record(z.string().max(200), z.unknown())
  .refine(
    (extra) => JSON.stringify(extra).length <= maxContentChars,
    `must not be longer than ${maxContentChars} characters`,
  )

export const MessageDraft = z.strictObject({ ...messageFields, clientId: Id.optional() })

/**
 * Each of `PUT /api/conversations/K/messages`; messages that were read may be sent back and get new
 * numbers.
 */
export const HistoryMessage = z.object({ ...messageFields, extra: Extra.nullish() })
export const maxHistoryMessages = 10_000

/** Where a message that waits is to stand (CH18). */
export const MessageMove = z.union([
  z.strictObject({ before: z.int().min(1).nullable() }),
  z.strictObject({ now: z.literal(true) }),
])
