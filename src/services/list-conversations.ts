/** Lists the conversations, the one touched last first, page by page (HT1), each with the beginning of what was said last. */
import type { Conversation, ListedConversation } from '../protocol/conversation.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { conversationsPage } from '../store/queries/conversations.ts'
import { selectLastSaid } from '../store/queries/messages.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { conversationView } from './conversation-activity.ts'

interface ConversationsQuery extends PageQuery {
  readonly channel?: string | undefined
  /** Whose consoles are listed too; null: everybody's. */
  readonly accountId: string | null
}

export const listConversations = defineQuery({
  name: 'list-conversations',
  run: async (reader, { channel, accountId, ...page }: ConversationsQuery): Promise<Page<ListedConversation>> => {
    const found = await conversationsPage(reader, pageParams(page), { channel, accountId })
    const { items, nextCursor } = cutPageBy(found, page.limit, ({ key, updated_at }) => ({ createdAt: updated_at, id: key }))
    const listed: ListedConversation[] = []
    for (const item of items) listed.push(await withLast(reader, await conversationView(reader, item)))
    return { items: listed, nextCursor }
  },
})

async function withLast(reader: Reader, conversation: Conversation): Promise<ListedConversation> {
  const last = await reader.first(selectLastSaid, { key: conversation.key })
  if (!last) return { ...conversation, lastMessage: null }
  const { seq, role, sender_id: senderId, created_at: createdAt, beginning } = last
  return { ...conversation, lastMessage: { seq, role, senderId, createdAt, beginning } }
}
