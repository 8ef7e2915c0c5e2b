/** All that agents are handed of a conversation, oldest first, as it is at one moment (CV1 getHistory in the library). */
import type { Message } from '../protocol/message.ts'
import { messagesAfter } from '../store/queries/messages.ts'
import { defineQuery } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

const pageSize = 1000

export const getWholeHistory = defineQuery({
  name: 'get-whole-history',
  run: async (reader, { key }: { key: string }): Promise<Message[]> => {
    streamOfKey(key)
    let { kept_after: seq } = await existingConversation(reader, key)
    const all: Message[] = []
    for (;;) {
      const page = await messagesAfter(reader, { key, seq, hidden: false, limit: pageSize })
      all.push(...page)
      const last = page.at(-1)
      if (!last || page.length < pageSize) return all
      seq = last.seq
    }
  },
})
