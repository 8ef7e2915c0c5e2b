/** Channels, their chats, and the agents that answer them. */
import * as z from 'zod'
import { chatStates } from '../../domain/channels/pairing.ts'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import {
  Channel,
  ChannelChat,
  ChannelChatChange,
  ChannelRouteChange,
  PairingCode,
} from './channel.ts'

const one = '/api/channels/{channel}'

export const channelRoutes = {
  listChannels: route(
    'GET /api/channels',
    'read',
    listOf(Channel),
  )`List the channels with their state`,
  setChannelRoute: route(`PUT ${one}/route`, 'manage', {
    body: ChannelRouteChange,
    answer: Channel,
  })`
    Choose the agent that serves chats without a route of their own`,
  createPairingCode: route(`POST ${one}/pairing-codes`, 'manage', {
    status: 201,
    answer: PairingCode,
  })`
    Make a code that lets one chat in (10 minutes, once); it is in this answer and never again`,
  listChannelChats: route(
    `GET ${one}/chats`,
    'read',
    listOf(ChannelChat, { state: z.enum(chatStates).optional() }),
  )`
    List the chats: those that ask to be let in, those that are served, those that are not`,
  changeChannelChat: route(`PATCH ${one}/chats/{chatId}`, 'manage', {
    body: ChannelChatChange,
    answer: ChannelChat,
  })`
    Let a chat in, refuse it, take that back, or choose its agent`,
}
