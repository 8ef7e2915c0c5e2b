/** Returns the conversation of a key, creating it if needed (CV1). */
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { conversationOf } from '../../store/conversations/conversations.ts'
import { defineUseCase } from '../../store/store.ts'
import { openConversation, requireCreatable, streamOfKey } from './conversation-record.ts'

export const getOrCreateConversation = defineUseCase('get-or-create-conversation', {
  streams: ({ key }: { key: string }) => [streamOfKey(key)],
  run: async (tx, { key }, { now }): Promise<{ conversation: Conversation; created: boolean }> => {
    await requireCreatable(tx, key)
    const { row, created } = await openConversation(tx, key, now)
    return { conversation: conversationOf(row), created }
  },
})
