/** Records the sending of a queued message to its channel, and its result. */

import { type ChatLanguage, chatWords } from '../../domain/channels/chat-texts.ts'
import type { ChatAddress } from '../../domain/channels/key.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { maskDetail } from '../../platform/log/mask.ts'
import { deleteOutgoing, selectChat, selectOutgoing } from '../../store/channels/channels.ts'
import { noticeColumn } from '../../store/fields.ts'
import type { KeyOf } from '../../store/rows.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { chatStream, isServed, queueOutgoing } from './channel-chat-record.ts'

interface OutgoingKey extends ChatAddress {
  readonly n: number
  readonly holder: string
}

export interface BegunPart {
  readonly content: string
  /** The next part, from 0. */
  readonly part: number
  readonly maybeSent: boolean
  readonly attempts: number
  readonly language: ChatLanguage
  readonly createdAt: Instant
  /** The last message of ours that is known to have arrived in the chat. */
  readonly afterRef: string | null
}

const keyOf = ({ channel, chat_id, n }: KeyOf<'outgoing'>) => ({ channel, chat_id, n })

/**
 * Records the intent to send a part first. After a crash in between it may have arrived, and a
 * repeat says so.
 */
export const beginSending = defineUseCase('begin-sending', {
  scope: 'server',
  on: 'nobody',
  streams: (input: OutgoingKey) => [chatStream(input)],
  run: async (tx, { holder, ...which }, { now }): Promise<{ begun: BegunPart | null }> => {
    const row = await tx.first(selectOutgoing, which)
    const isOurs = (await tx.row('channels', which))?.holder === holder
    if (!row || !isOurs || row.not_before > now) return { begun: null }
    const maybeSent = row.state === 'sending' || row.maybe_sent === 1
    await tx.update('outgoing', { ...keyOf(row), state: 'sending', maybe_sent: maybeSent ? 1 : 0 })
    const chat = await tx.first(selectChat, which)
    const about = { language: chat?.language ?? 'en', afterRef: chat?.last_ref ?? null } as const
    const { content, parts_sent: part, attempts, created_at: createdAt } = row
    return { begun: { content, part, maybeSent, attempts, createdAt, ...about } }
  },
})

export type SentOutcome =
  | { readonly is: 'sent'; readonly isLast: boolean; readonly ref: string | null }
  /** `maybeSent`: there was no response, so it may have arrived. */
  | { readonly is: 'later'; readonly afterMs: number; readonly maybeSent: boolean }
  | { readonly is: 'never'; readonly why: Detail }

interface SentPart extends ChatAddress {
  readonly n: number
  readonly part: number
  readonly outcome: SentOutcome
}

/** Records the result of sending a part: sent, retried later, or given up. */
export const recordSent = defineUseCase('record-sent', {
  scope: 'server',
  on: 'nobody',
  streams: (input: SentPart) => [chatStream(input)],
  run: async (tx, { part, outcome, ...which }, { now }): Promise<{ noted: boolean }> => {
    const row = await tx.first(selectOutgoing, which)
    if (!row || row.parts_sent !== part) return { noted: false }
    if (outcome.is === 'later') {
      const notBefore = later(now, outcome.afterMs)
      await tx.update('outgoing', {
        ...keyOf(row),
        state: 'waiting',
        attempts: row.attempts + 1,
        not_before: notBefore,
        maybe_sent: outcome.maybeSent || row.maybe_sent === 1 ? 1 : 0,
      })
      return { noted: true }
    }
    if (outcome.is === 'never' || outcome.isLast) await tx.write(deleteOutgoing, which)
    else
      await tx.update('outgoing', {
        ...keyOf(row),
        parts_sent: part + 1,
        state: 'waiting',
        maybe_sent: 0,
        attempts: 0,
      })
    await updateChatState(tx, which, outcome, now)
    return { noted: true }
  },
})

async function updateChatState(
  tx: Tx,
  place: ChatAddress,
  outcome: SentOutcome,
  now: string,
): Promise<void> {
  const chat = await tx.first(selectChat, place)
  const detail: Detail | null = outcome.is === 'never' ? maskDetail(outcome.why) : null
  const trouble = detail && textOf(detail)
  const sent =
    outcome.is === 'sent'
      ? { last_out_at: now, last_ref: outcome.ref ?? chat?.last_ref ?? null }
      : {}
  if (chat)
    await tx.update('channel_chats', { ...chat, trouble, notice: noticeColumn(detail), ...sent })
  if (detail === null) await tx.update('channels', { channel: place.channel, last_out_at: now })
}

/** Says in a chat that more was written while nobody was connected than is read (CN6). */
export const tellMissed = defineUseCase('tell-missed', {
  scope: 'server',
  on: 'nobody',
  streams: (input: ChatAddress & { count: number }) => [chatStream(input)],
  run: async (tx, { count, ...place }, { now }): Promise<void> => {
    const chat = await tx.first(selectChat, place)
    if (!chat || !(await isServed(tx, chat))) return
    await queueOutgoing(tx, place, chatWords(chat.language, chat.channel).missed(count), now)
  },
})
