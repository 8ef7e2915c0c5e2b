/** Shortens or clears the history that agents get (CV1, CV4). The archive keeps all messages. */
import { truncateHistory as truncated } from '../../domain/conversations/messages.ts'
import { Refusal } from '../../domain/errors.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { measured, newestSeqs, selectLastMessage } from '../../store/conversations/messages.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { changeConversation, currentConversation, streamOfKey } from './conversation-record.ts'

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
