/** Channels on the wire (CN1, CN2): their state, their chats, and pairing. */
import * as z from 'zod'
import { channelNames } from '../../domain/channels/key.ts'
import { chatStates } from '../../domain/channels/pairing.ts'
import { Notice } from '../notices.ts'
import { Id, Time } from '../text.ts'

export const ChannelRoute = z.object({ projectId: Id, agentId: Id })
export type ChannelRoute = z.output<typeof ChannelRoute>

/** off: not configured, or no server runs it. */
const channelStates = ['off', 'connecting', 'connected', 'failing'] as const

export const Channel = z.object({
  channel: z.enum(channelNames),
  state: z.enum(channelStates),
  since: Time.nullable(),
  /** The problem and what to do about it; null when there is none. */
  trouble: z.string().nullable(),
  notice: Notice.nullish(),
  /** Our account on the platform, and its link. */
  name: z.string().nullable(),
  link: z.string().nullable(),
  /** For chats without a route. null: the first agent of the first project. */
  route: ChannelRoute.nullable(),
  lastInAt: Time.nullable(),
  lastOutAt: Time.nullable(),
  waiting: z.number().int(),
  chats: z.number().int(),
  asking: z.number().int(),
})
export type Channel = z.output<typeof Channel>

export const ChannelChat = z.object({
  channel: z.enum(channelNames),
  chatId: z.string(),
  conversationKey: z.string(),
  conversation: z.string(),
  kind: z.enum(['person', 'group']),
  /** Who is heard in a group: everybody in it, or only people who are paired. */
  hears: z.enum(['everybody', 'people']),
  title: z.string(),
  handle: z.string().nullable(),
  state: z.enum(chatStates),
  /** The chat's own route; null: the channel's. */
  route: ChannelRoute.nullable(),
  askedAt: Time,
  decidedAt: Time.nullable(),
  decidedBy: z.string().nullable(),
  lastInAt: Time.nullable(),
  lastOutAt: Time.nullable(),
  trouble: z.string().nullable(),
  notice: Notice.nullish(),
})
export type ChannelChat = z.output<typeof ChannelChat>

/** An owner's decision about a chat; unnamed fields stay. */
export const ChannelChatChange = z.strictObject({
  state: z.enum(['paired', 'refused', 'revoked']).optional(),
  route: ChannelRoute.nullish(),
  hears: z.enum(['everybody', 'people']).optional(),
})

/** Somebody on a platform, and who they are here: the person whose code they sent. */
export const ChannelPerson = z.object({
  channel: z.enum(channelNames),
  userId: z.string(),
  /** Their name on the platform, as it was when they were paired. */
  name: z.string(),
  personId: Id,
  pairedAt: Time,
})
export type ChannelPerson = z.output<typeof ChannelPerson>

export const ChannelRouteChange = z.strictObject({ route: ChannelRoute.nullable() })

/**
 * Sent to the bot within ten minutes, it pairs its sender with who made it, once. Only in this
 * answer.
 */
export const PairingCode = z.object({
  code: z.string(),
  expiresAt: Time,
  /** A link that opens the chat and sends the code, where the platform supports it. */
  link: z.string().nullable(),
})
export type PairingCode = z.output<typeof PairingCode>
