/** What Slack sends over its socket, as far as it is read here. Everything else is let pass. */
import * as z from 'zod'
import type { Inbound } from '../../adapters/port.ts'
import type { FileThere } from '../../adapters/received-files.ts'
import { threadId } from '../../domain/channels/key.ts'

export const Message = z.object({
  type: z.enum(['message', 'app_mention']).optional(),
  subtype: z.string().optional(),
  channel: z.string().optional(),
  channel_type: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  app_id: z.string().optional(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  files: z
    .array(
      z.object({
        name: z.string().nullish(),
        mimetype: z.string().nullish(),
        size: z.number().nullish(),
        url_private_download: z.string().nullish(),
        url_private: z.string().nullish(),
      }),
    )
    .optional()
    .catch(undefined),
  metadata: z
    .object({ event_payload: z.record(z.string(), z.unknown()).optional() })
    .nullish()
    .catch(undefined),
})
export type Message = z.output<typeof Message>

export const Envelope = z.object({
  type: z.string(),
  body: z.looseObject({ event: z.unknown().optional() }).catch({}),
})

/** A button that was pressed. */
export const Actions = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string() }),
  channel: z.object({ id: z.string() }),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }),
  actions: z.array(z.object({ value: z.string().max(200) })),
})

export const sentFilesIn = ({ files = [] }: Message): FileThere[] =>
  files.map((each) => ({
    name: each.name ?? 'file',
    mimeType: each.mimetype ?? '',
    size: each.size ?? 0,
    url: each.url_private_download ?? each.url_private ?? '',
  }))

/** Who we are there. */
export interface OurSelf {
  readonly userId: string
  readonly teamId: string
}

/** Messages of people. Changes, joins and what bots say are not heard. */
const heard = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message'])

export const isHeard = (message: Message, us: OurSelf): boolean =>
  heard.has(message.subtype) &&
  message.bot_id === undefined &&
  message.user !== undefined &&
  message.user !== us.userId

/** `shown`: how the text, the author and the chat are shown. */
export function inboundOf(
  message: Message & { readonly channel: string; readonly user: string },
  us: OurSelf,
  shown: { readonly text: string; readonly author: string; readonly title: string },
): Inbound {
  const { channel, thread_ts: thread, ts } = message
  // A direct message may come without its type where history is read.
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const isThread = thread !== undefined && thread !== ts
  return {
    chatId: isThread ? threadId(channel, thread) : channel,
    parentId: isThread ? channel : null,
    kind: isDirect ? 'person' : 'group',
    title: isDirect ? shown.author : shown.title,
    handle: null,
    senderId: message.user,
    senderName: shown.author,
    messageId: ts,
    text: shown.text,
    isForUs:
      isDirect ||
      message.type === 'app_mention' ||
      message.text.includes(`<@${us.userId}`) ||
      message.parent_user_id === us.userId,
    attachment: null,
    language: undefined,
  }
}
