/** Conversations as they cross the wire (CV). Flags keep what they do not know (CV3). */
import * as z from 'zod'
import { Time } from '../text.ts'
import { Message } from './message.ts'
import { Workplace } from './workplace.ts'

export const Flags = z.looseObject({
  localOnly: z.boolean().optional(),
  prevPrimaryRoute: z.string().optional(),
  originMessageId: z.string().optional(),
  originRoute: z.string().optional(),
  pendingOriginReply: z.boolean().optional(),
  workOverlayTurnsLeft: z.number().int().optional(),
  workOverlayDirective: z.string().optional(),
  pendingApprovalJobId: z.string().optional(),
})
export type Flags = z.output<typeof Flags>

export const Conversation = z.object({
  key: z.string(),
  projectId: z.string().nullable(),
  agentId: z.string().nullable(),
  /** Between agents only; others are always open. */
  state: z.enum(['open', 'closed']),
  summary: z.string(),
  flags: Flags,
  /** Given by a person or by the agent; null: none yet. */
  title: z.string().nullable(),
  /** What it does now; left out in events, where it would be old at once. */
  activity: z.enum(['idle', 'starting', 'working', 'waiting', 'limited', 'failed', 'ended']).optional(),
  /** Its next turn waits until another that runs in the same folder ends (CX9); null: it does not. */
  waitsFor: z.enum(['checkout']).nullable().optional(),
  /** Where its agent works; null: it has no project. */
  workplace: Workplace.nullable().optional(),
  messageCount: z.number().int(),
  created: Time,
  updated: Time,
})
export type Conversation = z.output<typeof Conversation>

/** In a list, with the beginning of what was said last. */
export const ListedConversation = Conversation.extend({
  lastMessage: z
    .object({ seq: z.number().int(), role: Message.shape.role, senderId: z.string(), beginning: z.string(), createdAt: Time })
    .nullable(),
})
export type ListedConversation = z.output<typeof ListedConversation>
