/** Read queries for channels, their chats and outgoing messages. */
import {
  type ChannelName,
  type ChatAddress,
  channelKey,
  channelNames,
} from '../../domain/channels/key.ts'
import { askingLifetimeMs, type ChatState } from '../../domain/channels/pairing.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { Channel, ChannelChat, ChannelRoute } from '../../protocol/channels/channel.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { chatsPage, selectChat, selectNextOfChats } from '../../store/channels/channels.ts'
import { cutPageBy, pageParams } from '../../store/page-cursor.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectRunningIn } from '../../store/turns/turns.ts'
import { routeFor } from './channel-chat-record.ts'
import { channelView } from './hold-channel.ts'

/** The process that runs a turn for the chat. */
export interface ChatWork {
  readonly launchId: string
  readonly coordinatorId: string
}

export interface FoundChat {
  /** Null if nobody has written there. */
  readonly state: ChatState | null
  readonly route: ChannelRoute | null
  readonly work: ChatWork | null
}

/** Returns a chat's state and route. Called first, because they decide which streams are locked. */
export const findChat = defineQuery(async (reader, place: ChatAddress): Promise<FoundChat> => {
  const chat = await reader.first(selectChat, place)
  if (chat?.state !== 'paired') return { state: chat?.state ?? null, route: null, work: null }
  const route = await routeFor(reader, place.channel, chat)
  return { state: chat.state, route, work: route && (await findChatWork(reader, place, route)) }
})

async function findChatWork(
  reader: Reader,
  place: ChatAddress,
  { agentId }: ChannelRoute,
): Promise<ChatWork | null> {
  const running = await reader.all(selectRunningIn, { key: channelKey(place) })
  const launchId = running.find((turn) => turn.agent_id === agentId)?.launch_id
  const launch = launchId ? await findLaunch(reader, launchId) : undefined
  return launch && launch.state !== 'ended'
    ? { launchId: launch.id, coordinatorId: launch.coordinatorId }
    : null
}

type ChatsQuery = PageQuery & {
  readonly channel: ChannelName
  readonly state?: ChatState | undefined
}

/** Lists the chats of a channel, latest request first. Old undecided requests are left out. */
export const listChannelChats = defineQuery(
  async (reader, { channel, state, ...page }: ChatsQuery, { now }): Promise<Page<ChannelChat>> => {
    const askedAfter = later(now, -askingLifetimeMs)
    const found = await chatsPage(reader, { channel, state, askedAfter }, pageParams(page))
    return cutPageBy(found, page.limit, ({ askedAt, chatId }) => ({
      createdAt: askedAt,
      id: chatId,
    }))
  },
)

/** Lists all channels, including unconfigured ones. */
export const listChannels = defineQuery(
  async (reader, _: Record<never, never>, { now }): Promise<Page<Channel>> => {
    const items: Channel[] = []
    for (const channel of channelNames) items.push(await channelView(reader, channel, now))
    return { items, nextCursor: null }
  },
)

export const chatsPageSize = 200

export interface NextOutgoing {
  readonly chatId: string
  readonly n: number
  readonly notBefore: Instant
  /** Remaining wait. */
  readonly inMs: number
}

/** Lists the next outgoing message of each chat, and when it may be sent. */
export const findOutgoing = defineQuery(
  async (
    reader,
    { channel, after }: { channel: ChannelName; after: string },
    { now },
  ): Promise<NextOutgoing[]> => {
    const rows = await reader.all(selectNextOfChats, { channel, after, limit: chatsPageSize })
    return rows.map(({ chat_id, n, not_before }) => ({
      chatId: chat_id,
      n,
      notBefore: not_before,
      inMs: Math.max(0, Date.parse(not_before) - Date.parse(now)),
    }))
  },
  { withoutSnapshot: true },
)
