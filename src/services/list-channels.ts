/** Lists the channels there are, also those that nobody has set up. */
import { channelNames } from '../domain/channel/key.ts'
import type { Channel } from '../protocol/channel.ts'
import type { Page } from '../protocol/page.ts'
import { defineQuery } from '../store/store.ts'
import { channelView } from './channel-view.ts'

export const listChannels = defineQuery({
  name: 'list-channels',
  run: async (reader, _: Record<never, never>, { now }): Promise<Page<Channel>> => {
    const items: Channel[] = []
    for (const channel of channelNames) items.push(await channelView(reader, channel, now))
    return { items, nextCursor: null }
  },
})
