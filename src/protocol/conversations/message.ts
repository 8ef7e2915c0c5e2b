/** Messages of a chat as they cross the wire (CH3, CH6) and lie in `chat.jsonl` (CH7), and of any conversation (CV1). */

import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { line, Time } from '../text.ts'
import { WorkplaceChoice } from './workplace.ts'

export const priorities = ['low', 'normal', 'high', 'urgent'] as const
const messageRoles = ['user', 'assistant', 'system', 'tool'] as const

/** Fits a body of 1 MiB with room for the rest. */
export const maxContentChars = 500_000

/** Any text, but no NUL, which no database keeps; halves of characters become U+FFFD, as everywhere that writes UTF-8. */
export const Content = z
  .string()
  .max(maxContentChars)
  .refine((text) => !text.includes('\u0000'), refusedAs('noNul', {}, 'must not contain NUL'))
  .overwrite((text) => text.toWellFormed())
const Id = line(200)

export const Message = z.object({
  id: z.string(),
  seq: z.number().int(),
  conversationKey: z.string(),
  projectId: z.string().nullable(),
  senderId: z.string(),
  /** Who wrote it, where a channel says more than the id. */
  senderName: z.string().optional(),
  /** null: everybody in the conversation. */
  receiverId: z.string().nullable(),
  role: z.enum(messageRoles),
  content: z.string(),
  visible: z.boolean(),
  priority: z.enum(priorities),
  clientId: z.string().nullable(),
  relatedTaskId: z.string().nullable(),
  relatedHandoffId: z.string().nullable(),
  toolCalls: z.unknown().nullable(),
  toolCallId: z.string().nullable(),
  media: z.unknown().nullable(),
  /** What another program wrote beside that (CV7); `role`, when it is none of ours. */
  extra: z.record(z.string(), z.unknown()).nullable(),
  /** The `seq` of the message it is the same as, when setHistory put it back. */
  copyOf: z.number().int().nullable(),
  createdAt: Time,
})
export type Message = z.output<typeof Message>

/** `POST /api/chat` */
export const ChatMessageDraft = z.strictObject({
  projectId: Id,
  toAgentId: Id.nullable(),
  content: Content.min(1),
  clientId: Id.optional(),
  /** Who wrote it; refused when the credential is another's, as in a browser in which somebody else has signed in since (CH10). */
  senderId: Id.optional(),
  priority: z.enum(priorities).optional(),
  relatedTaskId: Id.nullish(),
  relatedHandoffId: Id.nullish(),
  /** CX9: where the conversation works; left out: as it does, or as the project says of one that begins. */
  workplace: WorkplaceChoice.optional(),
})

const spoken = {
  role: z.enum(messageRoles),
  content: Content,
  toolCalls: z.array(z.unknown()).max(1000).nullish(),
  toolCallId: Id.nullish(),
  media: z.array(z.unknown()).max(1000).nullish(),
}

/** Fields of other programs, as much as a message may be long. */
export const Extra = z
  .record(z.string().max(200), z.unknown())
  .refine((extra) => JSON.stringify(extra).length <= maxContentChars, `must not be longer than ${maxContentChars} characters`)

/** `POST /api/conversations/K/messages` */
export const MessageDraft = z.strictObject({ ...spoken, clientId: Id.optional() })

/** Each of `PUT /api/conversations/K/messages`; messages as they were read may be put back, their numbers are given anew. */
export const HistoryMessage = z.object({ ...spoken, extra: Extra.nullish() })
export const maxHistoryMessages = 10_000
