/** Reads a conversation without its messages: summary, flags, times, how many messages agents are handed. */
import type { Conversation } from '../protocol/conversation.ts'
import { defineQuery } from '../store/store.ts'
import { conversationView } from './conversation-activity.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

export const getConversation = defineQuery({
  name: 'get-conversation',
  run: async (reader, { key }: { key: string }): Promise<Conversation> => {
    streamOfKey(key)
    return conversationView(reader, await existingConversation(reader, key))
  },
})
