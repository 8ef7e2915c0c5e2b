/** That a channel has changed, told the same way whoever changed it. The use case names `home`. */
import type { ChannelName } from '../domain/channel/key.ts'
import type { Instant } from '../domain/instant.ts'
import { home } from '../domain/stream/name.ts'
import type { Channel } from '../protocol/channel.ts'
import type { Tx } from '../store/store.ts'
import { channelView } from './channel-view.ts'

export async function tellChannel(tx: Tx, channel: ChannelName, by: string, now: Instant): Promise<Channel> {
  const view = await channelView(tx, channel, now)
  const { state, trouble, name, link, route } = view
  tx.append(home, { type: 'channel-changed', data: { channel: { channel, state, trouble, name, link, route }, by } })
  return view
}
