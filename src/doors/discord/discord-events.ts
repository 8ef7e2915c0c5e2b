/** What Discord sends over its gateway, as far as it is read here. Everything else is let pass. */
import * as z from 'zod'
import type { Button, Inbound } from '../../adapters/port.ts'
import type { FileThere } from '../../adapters/received-files.ts'

const User = z.object({
  id: z.string(),
  username: z.string().default(''),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
})
export type User = z.output<typeof User>

export const Message = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().optional(),
  type: z.number().default(0),
  author: User,
  webhook_id: z.string().optional(),
  content: z.string().default(''),
  nonce: z.union([z.string(), z.number()]).nullish(),
  mentions: z.array(User).default([]),
  attachments: z
    .array(
      z.object({
        filename: z.string().nullish(),
        content_type: z.string().nullish(),
        size: z.number().nullish(),
        url: z.string().nullish(),
      }),
    )
    .default([])
    .catch([]),
})
export type Message = z.output<typeof Message>

/** A button that was pressed; in a server by a member of it. */
export const Interaction = z.object({
  id: z.string(),
  token: z.string(),
  type: z.literal(3),
  channel_id: z.string(),
  data: z.object({ custom_id: z.string().max(100) }),
  member: z.object({ user: z.object({ id: z.string() }) }).optional(),
  user: z.object({ id: z.string() }).optional(),
})

export const sentFilesIn = ({ attachments }: Message): FileThere[] =>
  attachments.map((each) => ({
    name: each.filename ?? 'file',
    mimeType: each.content_type?.replace(/;.*$/, '') ?? '',
    size: each.size ?? 0,
    url: each.url ?? '',
  }))

const styles = { yes: 3, no: 4, plain: 2 } as const

export const componentsOf = (buttons: readonly Button[]) => [
  {
    type: 1,
    components: buttons.map(({ label, token, style }) => ({
      type: 2,
      style: styles[style],
      label,
      custom_id: token,
    })),
  },
]

export const ChannelInfo = z.object({
  id: z.string(),
  type: z.number(),
  name: z.string().nullish(),
  parent_id: z.string().nullish(),
})
export type ChannelInfo = z.output<typeof ChannelInfo>

/** Said and answered; what the platform itself says there is not heard. */
const saidOrAnswered = [0, 19]
const threads = [10, 11, 12]
const direct = [1, 3]

/** Messages of people; those of bots and webhooks are never heard. */
export const isHeard = (message: Message): boolean =>
  saidOrAnswered.includes(message.type) &&
  message.author.bot !== true &&
  message.webhook_id === undefined

const nameOf = ({ global_name: shown, username, id }: User): string => shown || username || id

export function inboundOf(message: Message, ourId: string, where: ChannelInfo): Inbound {
  const { author, channel_id: chatId, content, mentions } = message
  const isDirect = direct.includes(where.type)
  const isThread = threads.includes(where.type) && typeof where.parent_id === 'string'
  const isMentioned =
    mentions.some(({ id }) => id === ourId) || new RegExp(`<@!?${ourId}>`).test(content)
  return {
    chatId,
    parentId: isThread ? (where.parent_id ?? null) : null,
    kind: isDirect ? 'person' : 'group',
    title: isDirect ? nameOf(author) : `#${where.name ?? chatId}`,
    handle: isDirect ? author.username || null : null,
    senderId: author.id,
    senderName: nameOf(author),
    messageId: message.id,
    text: asSeen(content, ourId, mentions),
    isForUs: isDirect || isMentioned,
    attachment: null,
    language: undefined,
  }
}

/** As people see it. Our own mention at its beginning is no part of it. */
function asSeen(content: string, ourId: string, mentions: readonly User[]): string {
  const names = new Map(mentions.map((each) => [each.id, nameOf(each)]))
  return content
    .replace(new RegExp(`^\\s*<@!?${ourId}>[,:]?\\s*`), '')
    .replaceAll(/<@!?(\d+)>/g, (_, id: string) => `@${names.get(id) ?? id}`)
}
