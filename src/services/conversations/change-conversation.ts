/** Changes of a conversation as a whole: its beginning and end, flags, summary and history. */

import type * as z from 'zod'
import type { Scope } from '../../domain/access/scopes.ts'
import { readFlags } from '../../domain/conversations/flags.ts'
import {
  setSummary as decide,
  truncateHistory as truncated,
} from '../../domain/conversations/messages.ts'
import { putInName } from '../../domain/conversations/senders.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation, Flags } from '../../protocol/conversations/conversation.ts'
import {
  type HistoryMessage,
  type Message,
  maxHistoryMessages,
} from '../../protocol/conversations/message.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import {
  afterAllMessages,
  measured,
  messagesBefore,
  newestSeqs,
  selectLastMessage,
} from '../../store/conversations/messages.ts'
import { type AgentCaller, selectOldestNotHanded } from '../../store/conversations/unread.ts'
import type { Tx } from '../../store/store.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import {
  beginChapter,
  changeConversation,
  closeDueChapterOf,
  currentConversation,
  existingConversation,
  openConversation,
  requireCreatable,
  streamOfKey,
  writeMessage,
} from './conversation-record.ts'
import { type ContextCaller, ownConversation } from './own-conversation.ts'
import { requireOwnMessages } from './own-messages.ts'
import { isSame } from './same-message.ts'

/** Returns the conversation of a key, creating it if needed (CV1). */
export const getOrCreateConversation = defineUseCase('get-or-create-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string }) => [streamOfKey(key)],
  run: async (tx, { key }, { now }): Promise<{ conversation: Conversation; created: boolean }> => {
    await requireCreatable(tx, key)
    const { row, created } = await openConversation(tx, key, now)
    return { conversation: conversationOf(row), created }
  },
})

/** Replaces the flags of a conversation (CV3). */
export const setFlags = defineUseCase('set-flags', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; flags: Flags }) => [streamOfKey(key)],
  run: (tx, { key, flags }, { now }): Promise<Flags> => replaceFlags(tx, key, flags, now),
})

/** An agent's, in the conversation it is in (CX3). */
export const setOwnFlags = defineUseCase('set-own-flags', {
  scope: 'agent',
  on: 'caller',
  run: async (
    tx,
    { flags, ...caller }: ContextCaller & { flags: Flags },
    { now },
  ): Promise<{ key: string; flags: Flags }> => {
    const { key } = await ownConversation(tx, caller)
    return { key, flags: await replaceFlags(tx, key, flags, now) }
  },
})

async function replaceFlags(tx: Tx, key: string, flags: Flags, now: Instant): Promise<Flags> {
  const row = await currentConversation(tx, key, now)
  const read = readFlags(flags)
  if ('refused' in read)
    throw new Refusal(read.refused.code, read.refused.detail, { field: read.refused.field })
  tx.append(conversationStream(key), { type: 'flags-set', data: { flags: read.flags } })
  await changeConversation(tx, row, { flags: JSON.stringify(read.flags) }, now)
  return read.flags
}

// Stores an agent's summary of its conversation (NA9, `set_summary`). Agents no longer get the
// covered messages; the archive keeps them. A summary covers only messages that this session was
// handed.

interface AgentSummary extends AgentCaller {
  readonly summary: string
  readonly throughSeq: number
  /** From `find-own-conversation`. */
  readonly conversationKey: string
}

export const setSummary = defineUseCase('set-summary', {
  scope: 'agent',
  on: 'caller',
  streams: ({ conversationKey }: AgentSummary) => [conversationStream(conversationKey)],
  run: async (
    tx,
    { summary, throughSeq, conversationKey: key, ...caller },
    { now },
  ): Promise<{ throughSeq: number }> => {
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
    const decision = decide(
      current,
      { summary, throughSeq },
      await factsOf(tx, row, caller, throughSeq),
    )
    if ('refused' in decision)
      throw new Refusal(decision.refused.code, decision.refused.detail, { field: 'through_seq' })
    const { summaryThrough, keptAfter, unsummarisedChars } = decision.changed
    const change = {
      summary,
      summary_by: null,
      summary_through: summaryThrough,
      kept_after: keptAfter,
      unsummarised_chars: unsummarisedChars,
      message_count: (await measured(tx, key, keptAfter)).count,
    }
    const stream = conversationStream(key)
    tx.append(stream, { type: 'summary-set', data: { summary, throughSeq } })
    if (keptAfter !== row.kept_after)
      tx.append(stream, { type: 'history-truncated', data: { keptAfter } })
    await changeConversation(tx, row, change, now)
    await closeDueChapterOf(tx, key, now)
    return { throughSeq }
  },
})

async function factsOf(
  reader: Reader,
  row: ConversationRow,
  caller: AgentCaller,
  throughSeq: number,
) {
  const { key } = row
  const notHanded = await reader.first(selectOldestNotHanded, { ...caller, key })
  const seenThrough = notHanded
    ? notHanded.seq - 1
    : ((await reader.first(selectLastMessage, { key }))?.seq ?? 0)
  // The decision refuses an invalid number.
  if (!Number.isSafeInteger(throughSeq)) return { seenThrough, coveredChars: 0 }
  const { chars } = await measured(
    reader,
    key,
    Math.max(row.summary_through, row.kept_after),
    throughSeq,
  )
  return { seenThrough, coveredChars: chars }
}

/**
 * Sets the summary text of a conversation for a person or program (CV1 setSummary). The history
 * does not change.
 */
export const setConversationSummary = defineUseCase('set-conversation-summary', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; summary: string; by?: string }) => [streamOfKey(key)],
  run: async (tx, { key, summary, by }, { now }): Promise<Conversation> => {
    const found = await currentConversation(tx, key, now)
    // DC2: a summary needs an open chapter, even without messages.
    const row =
      found.chapter_day === null && summary !== '' ? await beginChapter(tx, found, now) : found
    const data = { summary, throughSeq: row.summary_through }
    tx.append(conversationStream(key), {
      type: 'summary-set',
      data: { ...data, ...(by !== undefined && { by }) },
    })
    return conversationOf(
      await changeConversation(
        tx,
        row,
        { summary, summary_by: (summary !== '' && by) || null },
        now,
      ),
    )
  },
})

/**
 * Closes a conversation between agents when a session that wrote in it has ended (AS9, CV10). Does
 * nothing if the session lives or the conversation is closed. The next message reopens it.
 */
export const closeConversation = defineUseCase('close-conversation', {
  scope: 'server',
  on: 'nobody',
  streams: ({ conversationKey }: { conversationKey: string; agentSessionId: string }) => [
    conversationStream(conversationKey),
  ],
  run: async (
    tx,
    { conversationKey: key, agentSessionId },
    { now },
  ): Promise<{ closed: boolean }> => {
    const written = await tx.row('open_conversations', {
      agent_session_id: agentSessionId,
      conversation_key: key,
    })
    const agentSession = await tx.row('agent_sessions', { id: agentSessionId })
    const row = await tx.row('conversations', { key })
    if (!written || agentSession?.state !== 'ended' || row?.state !== 'open')
      return { closed: false }
    await tx.delete('open_conversations', { conversation_key: key })
    await changeConversation(tx, row, { state: 'closed' }, now)
    tx.append(conversationStream(key), {
      type: 'conversation-closed',
      data: { by: agentSession.agent_id },
    })
    return { closed: true }
  },
})

/** Keeps the newest messages in the history that agents get (CV1). The archive keeps all. */
export const truncateHistory = defineUseCase('truncate-history', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; keepLast: number }) => [streamOfKey(key)],
  run: async (tx, { key, keepLast }, { now }): Promise<Conversation> => {
    const row = await currentConversation(tx, key, now)
    const decision = truncated(
      { keptAfter: row.kept_after, kept: await newestOf(tx, row, keepLast) },
      keepLast,
    )
    if ('refused' in decision) {
      const { code, detail, field } = decision.refused
      throw new Refusal(code, detail, { field })
    }
    const { keptAfter } = decision
    if (keptAfter === row.kept_after) return conversationOf(row)
    const { count } = await measured(tx, key, keptAfter)
    const { chars } = await measured(tx, key, Math.max(keptAfter, row.summary_through))
    const change = {
      kept_after: keptAfter,
      message_count: count,
      unsummarised_chars: chars,
      generation: row.generation + 1,
    }
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

/**
 * Clears the history and summary that agents get. Flags, creation time and the archive stay (CV4).
 */
export const resetConversation = defineUseCase('reset-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string }) => [streamOfKey(key)],
  run: async (tx, { key }, { now }): Promise<Conversation> => {
    const row = await currentConversation(tx, key, now)
    const keptAfter = (await tx.first(selectLastMessage, { key }))?.seq ?? row.kept_after
    const cleared = {
      summary: '',
      summary_by: null,
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

/**
 * Returns a function that matches each given message to its original, in order, among the newest
 * messages.
 */
async function originals(reader: Reader, { key, kept_after, chapter_after }: ConversationRow) {
  const page = {
    key,
    seq: afterAllMessages,
    hidden: false,
    originals: true,
    limit: maxHistoryMessages,
  }
  const messages = (await messagesBefore(reader, page))
    .filter(({ seq }) => seq > Math.min(kept_after, chapter_after))
    .reverse()
  const byContent = Map.groupBy(messages, ({ content }) => content)
  let next = 0
  return (given: z.output<typeof HistoryMessage>): Message | undefined => {
    const found = byContent
      .get(given.content)
      ?.find((each) => each.seq >= next && isSame(each, given))
    if (found) next = found.seq + 1
    return found
  }
}

/**
 * Replaces the history that agents get (CV1 setHistory). The previous one stays in the archive, and
 * the new messages are not unread. A message put back unchanged is stored as a copy, so that
 * chapters and notes count it once (DC3).
 */
export const setHistory = defineUseCase('set-history', {
  scope: 'write',
  on: 'conversation',
  streams: ({
    key,
  }: {
    key: string
    messages: readonly z.output<typeof HistoryMessage>[]
    by: string
    scopes?: readonly Scope[]
  }) => [streamOfKey(key)],
  run: async (tx, { key, messages, by, scopes }, context): Promise<Conversation> => {
    await requireOwnMessages(tx, scopes, key, messages)
    const before = await currentConversation(tx, key, context.now)
    const keptAfter = (await tx.first(selectLastMessage, { key }))?.seq ?? before.kept_after
    if (keptAfter !== before.kept_after)
      tx.append(conversationStream(key), { type: 'history-truncated', data: { keptAfter } })
    let row = {
      ...before,
      kept_after: keptAfter,
      message_count: 0,
      unsummarised_chars: 0,
      generation: before.generation + 1,
    }
    const originalOf = await originals(tx, before)
    for (const each of messages) {
      const original = originalOf(each)
      // CV14: what is put back keeps who said it.
      const sender = original
        ? { senderId: original.senderId, senderName: original.senderName }
        : { senderId: by, senderName: putInName(each.role, each.extra?.['name']) }
      const given = { ...each, ...sender, receiverId: null, copyOf: original?.seq ?? null }
      row = (await writeMessage(tx, row, given, context)).counted
    }
    return conversationOf(await changeConversation(tx, row, {}, context.now))
  },
})
