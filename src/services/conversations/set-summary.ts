/**
 * Stores an agent's summary of its conversation (NA9, `set_summary`). Agents no longer get the covered messages; the archive
 * keeps them. A summary covers only messages that this session was handed.
 */

import { setSummary as decide } from '../../domain/conversations/messages.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { measured, selectLastMessage } from '../../store/conversations/messages.ts'
import { type AgentCaller, selectOldestNotHanded } from '../../store/conversations/unread.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import {
  beginChapter,
  changeConversation,
  closeDueChapterOf,
  currentConversation,
  existingConversation,
  streamOfKey,
} from './conversation-record.ts'

interface AgentSummary extends AgentCaller {
  readonly summary: string
  readonly throughSeq: number
  /** From `find-own-conversation`. */
  readonly conversationKey: string
}

export const setSummary = defineUseCase('set-summary', {
  streams: ({ conversationKey }: AgentSummary) => [conversationStream(conversationKey)],
  run: async (tx, { summary, throughSeq, conversationKey: key, ...caller }, { now }): Promise<{ throughSeq: number }> => {
    await liveAgentSession(tx, caller)
    const row = await existingConversation(tx, key)
    // DC2: a summary of a closed chapter must not start the next one.
    if (row.chapter_after > 0 && throughSeq <= row.chapter_after)
      throw new Refusal('invalid_request', refusalText('dayOver'), {
        field: 'through_seq',
      })
    const current = {
      summary: row.summary,
      summaryThrough: row.summary_through,
      keptAfter: row.kept_after,
      unsummarisedChars: row.unsummarised_chars,
    }
    const decision = decide(current, { summary, throughSeq }, await factsOf(tx, row, caller, throughSeq))
    if ('refused' in decision) throw new Refusal(decision.refused.code, decision.refused.detail, { field: 'through_seq' })
    const { summaryThrough, keptAfter, unsummarisedChars } = decision.changed
    const change = {
      summary,
      summary_through: summaryThrough,
      kept_after: keptAfter,
      unsummarised_chars: unsummarisedChars,
      message_count: (await measured(tx, key, keptAfter)).count,
    }
    const stream = conversationStream(key)
    tx.append(stream, { type: 'summary-set', data: { summary, throughSeq } })
    if (keptAfter !== row.kept_after) tx.append(stream, { type: 'history-truncated', data: { keptAfter } })
    await changeConversation(tx, row, change, now)
    await closeDueChapterOf(tx, key, now)
    return { throughSeq }
  },
})

async function factsOf(reader: Reader, row: ConversationRow, caller: AgentCaller, throughSeq: number) {
  const { key } = row
  const notHanded = await reader.first(selectOldestNotHanded, { ...caller, key })
  const seenThrough = notHanded ? notHanded.seq - 1 : ((await reader.first(selectLastMessage, { key }))?.seq ?? 0)
  // The decision refuses an invalid number.
  if (!Number.isSafeInteger(throughSeq)) return { seenThrough, coveredChars: 0 }
  const { chars } = await measured(reader, key, Math.max(row.summary_through, row.kept_after), throughSeq)
  return { seenThrough, coveredChars: chars }
}

/** Sets the summary text of a conversation for a person or program (CV1 setSummary). The history does not change. */
export const setConversationSummary = defineUseCase('set-conversation-summary', {
  streams: ({ key }: { key: string; summary: string }) => [streamOfKey(key)],
  run: async (tx, { key, summary }, { now }): Promise<Conversation> => {
    const found = await currentConversation(tx, key, now)
    // DC2: a summary needs an open chapter, even without messages.
    const row = found.chapter_day === null && summary !== '' ? await beginChapter(tx, found, now) : found
    const data = { summary, throughSeq: row.summary_through }
    tx.append(conversationStream(key), { type: 'summary-set', data })
    return conversationOf(await changeConversation(tx, row, { summary }, now))
  },
})
