/** Channels, their chats, and the agents that answer them. */
import * as z from 'zod'
import { chatStates } from '../../domain/channels/pairing.ts'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Channel, ChannelChat, ChannelChatChange, ChannelRouteChange, PairingCode } from './channel.ts'

export const channelRoutes = {
  listChannels: route('GET /api/channels', 'read', { summary: 'List the channels with their state', ...listOf(Channel) }),
  setChannelRoute: route('PUT /api/channels/{channel}/route', 'manage', {
    summary: 'Choose the agent that serves chats without a route of their own',
    body: ChannelRouteChange,
    answer: Channel,
  }),
  createPairingCode: route('POST /api/channels/{channel}/pairing-codes', 'manage', {
    summary: 'Make a code that lets one chat in (10 minutes, once); it is in this answer and never again',
    status: 201,
    answer: PairingCode,
  }),
  listChannelChats: route('GET /api/channels/{channel}/chats', 'read', {
    summary: 'List the chats: those that ask to be let in, those that are served, those that are not',
    ...listOf(ChannelChat, { state: z.enum(chatStates).optional() }),
  }),
  changeChannelChat: route('PATCH /api/channels/{channel}/chats/{chatId}', 'manage', {
    summary: 'Let a chat in, refuse it, take that back, or choose its agent',
    body: ChannelChatChange,
    answer: ChannelChat,
  }),
}
