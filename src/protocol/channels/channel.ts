/** Channels as they cross the wire (CN1, CN2): their state, the chats on them, and how somebody is let in. */
import * as z from 'zod'
import { channelNames } from '../../domain/channels/key.ts'
import { chatStates } from '../../domain/channels/pairing.ts'
import { Id, Time } from '../text.ts'

/** Whom the messages of a chat are for. */
export const ChannelRoute = z.object({ projectId: Id, agentId: Id })
export type ChannelRoute = z.output<typeof ChannelRoute>

/** off: no server serves it, because it is not set up or none runs. */
const channelStates = ['off', 'connecting', 'connected', 'failing'] as const

export const Channel = z.object({
  channel: z.enum(channelNames),
  state: z.enum(channelStates),
  since: Time.nullable(),
  /** What is wrong and what to do about it, in words; null when nothing is. */
  trouble: z.string().nullable(),
  /** Our account there, and where it is found. */
  name: z.string().nullable(),
  link: z.string().nullable(),
  /** For chats that have none of their own. null: none was chosen, and the first agent of the first project is taken. */
  route: ChannelRoute.nullable(),
  lastInAt: Time.nullable(),
  lastOutAt: Time.nullable(),
  /** Messages that are still to be sent. */
  waiting: z.number().int(),
  chats: z.number().int(),
  asking: z.number().int(),
})
export type Channel = z.output<typeof Channel>

export const ChannelChat = z.object({
  channel: z.enum(channelNames),
  chatId: z.string(),
  conversationKey: z.string(),
  /** The same, under the name it has everywhere else. */
  conversation: z.string(),
  kind: z.enum(['person', 'group']),
  title: z.string(),
  handle: z.string().nullable(),
  state: z.enum(chatStates),
  /** Its own; null: the channel's. */
  route: ChannelRoute.nullable(),
  askedAt: Time,
  decidedAt: Time.nullable(),
  decidedBy: z.string().nullable(),
  lastInAt: Time.nullable(),
  lastOutAt: Time.nullable(),
  /** Why the last answer could not be delivered. */
  trouble: z.string().nullable(),
})
export type ChannelChat = z.output<typeof ChannelChat>

/** What an owner decides about a chat; what is left out stays. */
export const ChannelChatChange = z.strictObject({
  state: z.enum(['paired', 'refused', 'revoked']).optional(),
  route: ChannelRoute.nullish(),
})

export const ChannelRouteChange = z.strictObject({ route: ChannelRoute.nullable() })

/** Sent to the bot within ten minutes, it lets its sender in, once. It is in this answer and never again. */
export const PairingCode = z.object({
  code: z.string(),
  expiresAt: Time,
  /** Opens the chat and sends the code, where the platform has such a thing and we know our name there. */
  link: z.string().nullable(),
})
export type PairingCode = z.output<typeof PairingCode>
