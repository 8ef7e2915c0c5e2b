/** Lists the chats of a channel, the one that asked last first. Who has asked long ago and was not decided about is not shown. */
import type { ChannelName } from '../domain/channel/key.ts'
import { askingLifetimeMs, type ChatState } from '../domain/channel/pairing.ts'
import { later } from '../domain/instant.ts'
import type { ChannelChat } from '../protocol/channel.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { chatsPage } from '../store/queries/channel-chats.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

type Asked = PageQuery & { readonly channel: ChannelName; readonly state?: ChatState | undefined }

export const listChannelChats = defineQuery({
  name: 'list-channel-chats',
  run: async (reader, { channel, state, ...page }: Asked, { now }): Promise<Page<ChannelChat>> => {
    const askedAfter = later(now, -askingLifetimeMs)
    const found = await chatsPage(reader, { channel, state, askedAfter }, pageParams(page))
    return cutPageBy(found, page.limit, ({ askedAt, chatId }) => ({ createdAt: askedAt, id: chatId }))
  },
})
