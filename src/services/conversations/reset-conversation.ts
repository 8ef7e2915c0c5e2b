/** Clears the history and summary that agents get. Flags, creation time and the archive stay (CV4). */
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { conversationOf } from '../../store/conversations/conversations.ts'
import { selectLastMessage } from '../../store/conversations/messages.ts'
import { defineUseCase } from '../../store/store.ts'
import { changeConversation, currentConversation, streamOfKey } from './conversation-record.ts'

export const resetConversation = defineUseCase({
  name: 'reset-conversation',
  streams: ({ key }: { key: string }) => [streamOfKey(key)],
  run: async (tx, { key }, { now }): Promise<Conversation> => {
    const row = await currentConversation(tx, key, now)
    const keptAfter = (await tx.first(selectLastMessage, { key }))?.seq ?? row.kept_after
    const cleared = {
      summary: '',
      summary_through: keptAfter,
      kept_after: keptAfter,
      unsummarised_chars: 0,
      message_count: 0,
      generation: row.generation + 1,
    }
    tx.append(conversationStream(key), { type: 'conversation-reset', data: { keptAfter } })
    return conversationOf(await changeConversation(tx, row, cleared, now))
  },
})
