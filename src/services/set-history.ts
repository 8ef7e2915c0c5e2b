/**
 * Puts other messages in the place of what agents are handed (CV1 setHistory). What was there stays in the archive; what is
 * put there is history, so nobody has to answer it.
 */
import type * as z from 'zod'
import { conversationStream } from '../domain/stream/name.ts'
import type { Conversation } from '../protocol/conversation.ts'
import type { HistoryMessage } from '../protocol/message.ts'
import { conversationOf } from '../store/queries/conversations.ts'
import { selectLastMessage } from '../store/queries/messages.ts'
import { defineUseCase } from '../store/store.ts'
import { changeConversation, currentConversation, streamOfKey, writeMessage } from './conversation-record.ts'

interface NewHistory {
  readonly key: string
  readonly messages: readonly z.output<typeof HistoryMessage>[]
  readonly by: string
}

export const setHistory = defineUseCase({
  name: 'set-history',
  streams: ({ key }: NewHistory) => [streamOfKey(key)],
  run: async (tx, { key, messages, by }, context): Promise<Conversation> => {
    const before = await currentConversation(tx, key, context.now)
    const keptAfter = (await tx.first(selectLastMessage, { key }))?.seq ?? before.kept_after
    if (keptAfter !== before.kept_after) tx.append(conversationStream(key), { type: 'history-truncated', data: { keptAfter } })
    let row = { ...before, kept_after: keptAfter, message_count: 0, unsummarised_chars: 0 }
    for (const each of messages) {
      row = (await writeMessage(tx, row, { ...each, senderId: by, receiverId: null }, context)).counted
    }
    return conversationOf(await changeConversation(tx, row, {}, context.now))
  },
})
