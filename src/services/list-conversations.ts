/** Lists the conversations, the one touched last first, page by page (HT1). */
import type { Conversation } from '../protocol/conversation.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { conversationsPage } from '../store/queries/conversations.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

export const listConversations = defineQuery({
  name: 'list-conversations',
  run: async (reader, input: PageQuery): Promise<Page<Conversation>> =>
    cutPageBy(await conversationsPage(reader, pageParams(input)), input.limit, ({ key, updated }) => ({
      createdAt: updated,
      id: key,
    })),
})
