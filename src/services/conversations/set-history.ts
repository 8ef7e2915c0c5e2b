/**
 * Puts other messages in the place of what agents are handed (CV1 setHistory). What was there stays in the archive; what is
 * put there is history, so nobody has to answer it. What is put back as it was is a copy: the day and its note tell it once (DC3).
 */
import type * as z from 'zod'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { type HistoryMessage, maxHistoryMessages } from '../../protocol/conversations/message.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { behindAll, messagesBefore, selectLastMessage } from '../../store/conversations/messages.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { changeConversation, currentConversation, isSame, streamOfKey, writeMessage } from './conversation-record.ts'

interface NewHistory {
  readonly key: string
  readonly messages: readonly z.output<typeof HistoryMessage>[]
  readonly by: string
}

/**
 * Finds for one message after the other the number of the one that is the same and was said, in the order in which they were said; among the newest,
 * as many as may be put back at once.
 */
async function originals(reader: Reader, { key, kept_after, chapter_after }: ConversationRow) {
  const page = { key, seq: behindAll, hidden: false, originals: true, limit: maxHistoryMessages }
  const said = (await messagesBefore(reader, page)).filter(({ seq }) => seq > Math.min(kept_after, chapter_after)).reverse()
  const byContent = Map.groupBy(said, ({ content }) => content)
  let next = 0
  return (given: z.output<typeof HistoryMessage>): number | null => {
    const found = byContent.get(given.content)?.find((each) => each.seq >= next && isSame(each, given))
    if (!found) return null
    next = found.seq + 1
    return found.seq
  }
}

export const setHistory = defineUseCase({
  name: 'set-history',
  streams: ({ key }: NewHistory) => [streamOfKey(key)],
  run: async (tx, { key, messages, by }, context): Promise<Conversation> => {
    const before = await currentConversation(tx, key, context.now)
    const keptAfter = (await tx.first(selectLastMessage, { key }))?.seq ?? before.kept_after
    if (keptAfter !== before.kept_after) tx.append(conversationStream(key), { type: 'history-truncated', data: { keptAfter } })
    let row = { ...before, kept_after: keptAfter, message_count: 0, unsummarised_chars: 0, generation: before.generation + 1 }
    const originalOf = await originals(tx, before)
    for (const each of messages) {
      const given = { ...each, senderId: by, receiverId: null, copyOf: originalOf(each) }
      row = (await writeMessage(tx, row, given, context)).counted
    }
    return conversationOf(await changeConversation(tx, row, {}, context.now))
  },
})
