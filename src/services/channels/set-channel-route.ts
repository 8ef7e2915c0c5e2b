/** Sets the agent for chats without a route of their own. Null restores the default, the first agent of the first project. */
import type { ChannelName } from '../../domain/channels/key.ts'
import { home } from '../../domain/stream-name.ts'
import type { Channel, ChannelRoute } from '../../protocol/channels/channel.ts'
import { updateChannel } from '../../store/channels/channels.ts'
import { defineUseCase } from '../../store/store.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { openChannel } from './channel-chat-record.ts'
import { announceChannel } from './channel-record.ts'

interface RouteInput {
  readonly channel: ChannelName
  readonly route: ChannelRoute | null
  readonly by: string
}

export const setChannelRoute = defineUseCase('set-channel-route', {
  streams: () => [home],
  run: async (tx, { channel, route, by }: RouteInput, { now }): Promise<Channel> => {
    if (route) await checkAssigned(tx, route)
    const row = await openChannel(tx, channel, now)
    await tx.write(updateChannel, { ...row, project_id: route?.projectId ?? null, agent_id: route?.agentId ?? null })
    return announceChannel(tx, channel, by, now)
  },
})
