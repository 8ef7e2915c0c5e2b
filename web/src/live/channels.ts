/**
 * Channels and their chats as the page knows them; asked again when an event says that they
 * changed, and while somebody looks.
 */
import { queryOptions } from '@tanstack/react-query'
import type { Channel, ChannelChat, ChannelPerson } from '../../../src/protocol/channels/channel.ts'
import { client, invalidate } from './queries.ts'

/** More than anybody looks through. */
const mostListed = 200
const channelsKey = ['channels'] as const

export const channels = queryOptions<Channel[]>({
  queryKey: [...channelsKey, 'all'],
  queryFn: async ({ signal }) => (await client.get('/api/channels', { query: {}, signal })).items,
})

export const chatsOf = (channel: Channel['channel']) =>
  queryOptions<ChannelChat[]>({
    queryKey: [...channelsKey, 'chats', channel],
    queryFn: async ({ signal }) => {
      const options = { params: { channel }, query: { limit: mostListed }, signal }
      return (await client.get('/api/channels/{channel}/chats', options)).items
    },
  })

export const peopleOf = (channel: Channel['channel']) =>
  queryOptions<ChannelPerson[]>({
    queryKey: [...channelsKey, 'people', channel],
    queryFn: async ({ signal }) => {
      const options = { params: { channel }, query: { limit: mostListed }, signal }
      return (await client.get('/api/channels/{channel}/people', options)).items
    },
  })

export const refreshChannels = (): Promise<void> => invalidate(channelsKey)
