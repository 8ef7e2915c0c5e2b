/** REST handlers for channels, the people served on them, and the agent that answers. */
import type { channelRoutes } from '../../protocol/channels/routes.ts'
import {
  createPairingCode,
  sendTestMessage,
  setChannelRoute,
  signOutChannelPerson,
} from '../../services/channels/change-channel.ts'
import {
  listChannelChats,
  listChannelPeople,
  listChannels,
} from '../../services/channels/queries.ts'
import { changeChannelChat } from '../../services/flows/channels/change-channel-chat.ts'
import { type HandlersOf, query, run } from './handler.ts'

export const channelHandlers: HandlersOf<typeof channelRoutes> = {
  listChannels: query(listChannels, () => ({})),
  setChannelRoute: run(setChannelRoute, ({ params, body, who }) => ({
    ...params,
    ...body,
    by: who.id,
  })),
  createPairingCode: run(createPairingCode, ({ params, who }) => ({ ...params, by: who.id })),
  listChannelPeople: query(listChannelPeople, (call) => ({ ...call.params, ...call.query })),
  signOutChannelPerson: run(signOutChannelPerson, ({ params, who }) => ({ ...params, by: who.id })),
  sendTestMessage: run(sendTestMessage, ({ params, who }) => ({ ...params, by: who.id })),
  listChannelChats: query(listChannelChats, (call) => ({ ...call.params, ...call.query })),
  changeChannelChat: run(changeChannelChat, ({ params, body, who }) => ({
    ...params,
    ...body,
    by: who.id,
  })),
}
