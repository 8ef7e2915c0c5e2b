/** How a chat stands and whom it is for: asked before what comes in is taken, because that decides which streams are locked. */
import type { ChatPlace } from '../domain/channel/key.ts'
import { channelKey } from '../domain/channel/key.ts'
import type { ChatState } from '../domain/channel/pairing.ts'
import type { ChannelRoute } from '../protocol/channel.ts'
import { selectChat } from '../store/queries/channel-chats.ts'
import { findLaunch } from '../store/queries/launches.ts'
import { selectRunningIn } from '../store/queries/turns.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { routeFor } from './chat-record.ts'

/** The process that is at work for the chat. */
export interface ChatWork {
  readonly launchId: string
  readonly coordinatorId: string
}

export interface FoundChat {
  /** null: nobody has written there yet. */
  readonly state: ChatState | null
  readonly route: ChannelRoute | null
  readonly work: ChatWork | null
}

export const findChat = defineQuery({
  name: 'find-chat',
  run: async (reader, place: ChatPlace): Promise<FoundChat> => {
    const chat = await reader.first(selectChat, place)
    if (chat?.state !== 'paired') return { state: chat?.state ?? null, route: null, work: null }
    const route = await routeFor(reader, place.channel, chat)
    return { state: chat.state, route, work: route && (await workFor(reader, place, route)) }
  },
})

async function workFor(reader: Reader, place: ChatPlace, { agentId }: ChannelRoute): Promise<ChatWork | null> {
  const running = await reader.all(selectRunningIn, { key: channelKey(place) })
  const launchId = running.find((turn) => turn.agent_id === agentId)?.launch_id
  const launch = launchId ? await findLaunch(reader, launchId) : undefined
  return launch && launch.state !== 'ended' ? { launchId: launch.id, coordinatorId: launch.coordinatorId } : null
}
