/** Channels, their chats, and the agents that answer them. */
import * as z from 'zod'
import { channelNames } from '../../domain/channels/key.ts'
import { chatStates } from '../../domain/channels/pairing.ts'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Id } from '../text.ts'
import { Channel, ChannelChat, ChannelChatChange, ChannelRouteChange, PairingCode } from './channel.ts'

const channel = z.object({ channel: z.enum(channelNames) })
const chat = channel.extend({ chatId: Id })

export const channelRoutes = {
  listChannels: {
    method: 'GET',
    path: '/api/channels',
    scope: 'read',
    summary: 'List the channels with their state',
    query: PageQuery,
    status: 200,
    answer: pageOf(Channel),
  },
  setChannelRoute: {
    method: 'PUT',
    path: '/api/channels/{channel}/route',
    scope: 'manage',
    summary: 'Choose the agent that serves chats without a route of their own',
    params: channel,
    body: ChannelRouteChange,
    status: 200,
    answer: Channel,
  },
  createPairingCode: {
    method: 'POST',
    path: '/api/channels/{channel}/pairing-codes',
    scope: 'manage',
    summary: 'Make a code that lets one chat in (10 minutes, once); it is in this answer and never again',
    params: channel,
    status: 201,
    answer: PairingCode,
  },
  listChannelChats: {
    method: 'GET',
    path: '/api/channels/{channel}/chats',
    scope: 'read',
    summary: 'List the chats: those that ask to be let in, those that are served, those that are not',
    params: channel,
    query: PageQuery.extend({ state: z.enum(chatStates).optional() }),
    status: 200,
    answer: pageOf(ChannelChat),
  },
  changeChannelChat: {
    method: 'PATCH',
    path: '/api/channels/{channel}/chats/{chatId}',
    scope: 'manage',
    summary: 'Let a chat in, refuse it, take that back, or choose its agent',
    params: chat,
    body: ChannelChatChange,
    status: 200,
    answer: ChannelChat,
  },
} as const satisfies Record<string, Route>
