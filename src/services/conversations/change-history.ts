/** Replaces, shortens and resets the history that agents get. */

import type * as z from 'zod'
import { truncateHistory as truncated } from '../../domain/conversations/messages.ts'
import { Refusal } from '../../domain/errors.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { type HistoryMessage, maxHistoryMessages } from '../../protocol/conversations/message.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { afterAllMessages, measured, messagesBefore, newestSeqs, selectLastMessage } from '../../store/conversations/messages.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { changeConversation, currentConversation, isSame, streamOfKey, writeMessage } from './conversation-record.ts'

/** Keeps the newest messages in the history that agents get (CV1). The archive keeps all. */
export const truncateHistory = defineUseCase('truncate-history', {
  streams: ({ key }: { key: string; keepLast: number }) => [streamOfKey(key)],
  run: async (tx, { key, keepLast }, { now }): Promise<Conversation> => {
    const row = await currentConversation(tx, key, now)
    const decision = truncated({ keptAfter: row.kept_after, kept: await newestOf(tx, row, keepLast) }, keepLast)
    if ('refused' in decision) {
      const { code, detail, field } = decision.refused
      throw new Refusal(code, detail, { field })
    }
    const { keptAfter } = decision
    if (keptAfter === row.kept_after) return conversationOf(row)
    const { count } = await measured(tx, key, keptAfter)
    const { chars } = await measured(tx, key, Math.max(keptAfter, row.summary_through))
    const change = { kept_after: keptAfter, message_count: count, unsummarised_chars: chars, generation: row.generation + 1 }
    tx.append(conversationStream(key), { type: 'history-truncated', data: { keptAfter } })
    return conversationOf(await changeConversation(tx, row, change, now))
  },
})

/** Reads as few numbers as the decision needs; none if all stay or the request will be refused. */
async function newestOf(
  reader: Reader,
  { key, kept_after, message_count }: ConversationRow,
  keepLast: number,
): Promise<number[]> {
  if (!Number.isSafeInteger(keepLast) || keepLast < 0 || keepLast >= message_count) return []
  return newestSeqs(reader, key, kept_after, keepLast + 1)
}

/** Clears the history and summary that agents get. Flags, creation time and the archive stay (CV4). */
export const resetConversation = defineUseCase('reset-conversation', {
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

/**
 * Replaces the history that agents get (CV1 setHistory). The previous one stays in the archive, and the new messages are not
 * unread. A message put back unchanged is stored as a copy, so that chapters and notes count it once (DC3).
 */
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
