/** Channels, their chats, and the agents that answer them. */
import * as z from 'zod'
import { chatStates } from '../../domain/channels/pairing.ts'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import {
  Channel,
  ChannelChat,
  ChannelChatChange,
  ChannelPerson,
  ChannelRouteChange,
  PairingCode,
} from './channel.ts'

const one = '/api/channels/{channel}'

export const channelRoutes = {
  listChannels: route({
    method: 'GET',
    path: '/api/channels',
    summary: 'List the channels with their state',
    ...listOf(Channel),
  }),
  setChannelRoute: route({
    method: 'PUT',
    path: `${one}/route`,
    summary: 'Choose the agent that serves chats without a route of their own',
    body: ChannelRouteChange,
    answer: Channel,
  }),
  createPairingCode: route({
    method: 'POST',
    path: `${one}/pairing-codes`,
    summary:
      'Create a code that pairs its sender with you and lets their direct chat in (10 minutes, ' +
      'once); it is returned only once',
    status: 201,
    answer: PairingCode,
  }),
  listChannelChats: route({
    method: 'GET',
    path: `${one}/chats`,
    summary:
      'List the chats: those waiting to be let in, those that are served, and those that ' +
      'are not',
    ...listOf(ChannelChat, { state: z.enum(chatStates).optional() }),
  }),
  changeChannelChat: route({
    method: 'PATCH',
    path: `${one}/chats/{chatId}`,
    summary: 'Let a chat in, refuse it, take that back, choose its agent, or who is heard there',
    body: ChannelChatChange,
    answer: ChannelChat,
  }),
  sendTestMessage: route({
    method: 'POST',
    path: `${one}/chats/{chatId}/test`,
    summary: 'Send a test message to a chat that is served',
    status: 202,
    answer: ChannelChat,
  }),
  listChannelPeople: route({
    method: 'GET',
    path: `${one}/people`,
    summary: 'List the people who are paired, and who they are here',
    ...listOf(ChannelPerson),
  }),
  signOutChannelPerson: route({
    method: 'DELETE',
    path: `${one}/people/{userId}`,
    summary: 'Sign somebody out of a channel: they are nobody there until paired again',
  }),
}
