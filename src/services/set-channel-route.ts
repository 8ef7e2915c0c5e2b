/** Chooses the agent that serves chats without a route of their own; null: the first agent of the first project again. */
import type { ChannelName } from '../domain/channel/key.ts'
import { home } from '../domain/stream/name.ts'
import type { Channel, ChannelRoute } from '../protocol/channel.ts'
import { updateChannel } from '../store/queries/channels.ts'
import { defineUseCase } from '../store/store.ts'
import { tellChannel } from './channel-record.ts'
import { openChannel } from './chat-record.ts'
import { checkAssigned } from './check-assigned.ts'

interface Chosen {
  readonly channel: ChannelName
  readonly route: ChannelRoute | null
  readonly by: string
}

export const setChannelRoute = defineUseCase({
  name: 'set-channel-route',
  streams: () => [home],
  run: async (tx, { channel, route, by }: Chosen, { now }): Promise<Channel> => {
    if (route) await checkAssigned(tx, route)
    const row = await openChannel(tx, channel, now)
    await tx.write(updateChannel, { ...row, project_id: route?.projectId ?? null, agent_id: route?.agentId ?? null })
    return tellChannel(tx, channel, by, now)
  },
})
