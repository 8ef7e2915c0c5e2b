/**
 * Replaces the history that agents get (CV1 setHistory). The previous one stays in the archive, and the new messages are not
 * unread. A message put back unchanged is stored as a copy, so that chapters and notes count it once (DC3).
 */
import type * as z from 'zod'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { type HistoryMessage, maxHistoryMessages } from '../../protocol/conversations/message.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { afterAllMessages, messagesBefore, selectLastMessage } from '../../store/conversations/messages.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { changeConversation, currentConversation, isSame, streamOfKey, writeMessage } from './conversation-record.ts'

/** Returns a function that matches each given message to its original's number, in order, among the newest messages. */
async function originals(reader: Reader, { key, kept_after, chapter_after }: ConversationRow) {
  const page = { key, seq: afterAllMessages, hidden: false, originals: true, limit: maxHistoryMessages }
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

export const setHistory = defineUseCase('set-history', {
  streams: ({ key }: { key: string; messages: readonly z.output<typeof HistoryMessage>[]; by: string }) => [streamOfKey(key)],
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
