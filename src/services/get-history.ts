/** What agents are handed of a conversation, oldest first, page by page (CV1 getHistory). */
import type { Message } from '../protocol/message.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { messagesAfter } from '../store/queries/messages.ts'
import { cutSeqPage, seqOf } from '../store/queries/seq-cursor.ts'
import { defineQuery } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

export const getHistory = defineQuery({
  name: 'get-history',
  run: async (reader, { key, hidden, limit, cursor }: PageQuery & { key: string; hidden: boolean }): Promise<Page<Message>> => {
    streamOfKey(key)
    const { kept_after } = await existingConversation(reader, key)
    // Whatever was cut off since the page before is not handed out any more.
    const seq = Math.max(kept_after, seqOf(cursor, kept_after))
    return cutSeqPage(await messagesAfter(reader, { key, seq, hidden, limit: limit + 1 }), limit)
  },
})
