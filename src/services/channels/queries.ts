/** Read queries for channels, their chats and outgoing messages. */
import { type ChannelName, type ChatAddress, channelNames } from '../../domain/channels/key.ts'
import { askingLifetimeMs, type ChatState } from '../../domain/channels/pairing.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { Channel, ChannelChat, ChannelPerson } from '../../protocol/channels/channel.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { chatsPage, selectChat, selectRecentChats } from '../../store/channels/channels.ts'
import { selectNextOfLanes } from '../../store/channels/outbox.ts'
import { peoplePage } from '../../store/channels/people.ts'
import { cutPageBy, pageParams } from '../../store/page-cursor.ts'
import { defineQuery } from '../../store/store.ts'
import { channelView } from './hold-channel.ts'

type ChatsQuery = PageQuery & {
  readonly channel: ChannelName
  readonly state?: ChatState | undefined
}

/** Lists the chats of a channel, latest request first. Old undecided requests are left out. */
export const listChannelChats = defineQuery('list-channel-chats', {
  scope: 'read',
  on: 'channel',
  run: async (
    reader,
    { channel, state, ...page }: ChatsQuery,
    { now },
  ): Promise<Page<ChannelChat>> => {
    const askedAfter = later(now, -askingLifetimeMs)
    const found = await chatsPage(reader, { channel, state, askedAfter }, pageParams(page))
    return cutPageBy(found, page.limit, ({ askedAt, chatId }) => ({
      createdAt: askedAt,
      id: chatId,
    }))
  },
})

/** Lists all channels, including unconfigured ones. */
export const listChannels = defineQuery('list-channels', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<Page<Channel>> => {
    const items: Channel[] = []
    for (const channel of channelNames) items.push(await channelView(reader, channel, now))
    return { items, nextCursor: null }
  },
})

/** Lists the people who are paired on a channel (CN4). */
export const listChannelPeople = defineQuery('list-channel-people', {
  scope: 'read',
  on: 'channel',
  run: async (
    reader,
    { channel, ...page }: PageQuery & { readonly channel: ChannelName },
  ): Promise<Page<ChannelPerson>> => {
    const found = await peoplePage(reader, channel, pageParams(page))
    return cutPageBy(found, page.limit, ({ pairedAt, userId }) => ({
      createdAt: pairedAt,
      id: userId,
    }))
  },
})

/** Chats in which messages may have been missed; those of long ago are not asked for. */
const maxCaughtUp = 100

/** What an adapter needs to go on where the last run ended (CN6). */
export const findPosition = defineQuery('find-position', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { channel }: { channel: ChannelName }) => {
    const row = await reader.row('channels', { channel })
    const chats = await reader.all(selectRecentChats, { channel, limit: maxCaughtUp })
    return {
      position: row?.position ?? null,
      chats: chats.map(({ chat_id: chatId, parent_id: parentId, kind, last_id: lastId }) => ({
        chatId,
        parentId,
        kind,
        lastId: lastId ?? '',
      })),
    }
  },
})

export const isChatServed = defineQuery('is-chat-served', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, place: ChatAddress): Promise<boolean> =>
    (await reader.first(selectChat, place))?.state === 'paired',
})

export const chatsPageSize = 200

export interface NextOutgoing {
  readonly chatId: string
  readonly n: number
  readonly notBefore: Instant
  /** Remaining wait. */
  readonly inMs: number
}

/** Lists the next outgoing message of each chat, and when it may be sent. */
export const findOutgoing = defineQuery('find-outgoing', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (
    reader,
    { channel, after }: { channel: ChannelName; after: string },
    { now },
  ): Promise<NextOutgoing[]> => {
    const about = { target: channel, after, limit: chatsPageSize }
    const rows = await reader.all(selectNextOfLanes, about)
    return rows.map(({ lane, n, not_before }) => ({
      chatId: lane,
      n,
      notBefore: not_before,
      inMs: Math.max(0, Date.parse(not_before) - Date.parse(now)),
    }))
  },
})
