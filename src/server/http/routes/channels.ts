/** Channels, who is served on them, and by which agent. */
import type { channelRoutes } from '../../../protocol/routes/channels.ts'
import { changeChannelChat } from '../../../services/change-channel-chat.ts'
import { createPairingCode } from '../../../services/create-pairing-code.ts'
import { listChannelChats } from '../../../services/list-channel-chats.ts'
import { listChannels } from '../../../services/list-channels.ts'
import { setChannelRoute } from '../../../services/set-channel-route.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const channelHandlers: HandlersOf<typeof channelRoutes> = {
  listChannels: query(listChannels, () => ({})),
  setChannelRoute: run(setChannelRoute, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
  createPairingCode: run(createPairingCode, ({ params, who }) => ({ ...params, by: who.id })),
  listChannelChats: query(listChannelChats, (call) => ({ ...call.params, ...call.query })),
  changeChannelChat: run(changeChannelChat, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
}
