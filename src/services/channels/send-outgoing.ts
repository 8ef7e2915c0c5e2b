/** Records the sending of a queued message to its channel, and its result. */

import type { ChatLanguage } from '../../domain/channels/chat-texts.ts'
import type { ChatAddress } from '../../domain/channels/key.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { maskDetail } from '../../platform/log/mask.ts'
import { deleteOutgoing, selectChat, selectOutgoing } from '../../store/channels/channels.ts'
import { noticeColumn } from '../../store/fields.ts'
import type { KeyOf } from '../../store/rows.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { chatStream } from './channel-chat-record.ts'

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
    const language = (await tx.first(selectChat, which))?.language ?? 'en'
    const { content, parts_sent: part, attempts, created_at: createdAt } = row
    return { begun: { content, part, maybeSent, attempts, language, createdAt } }
  },
})

export type SentOutcome =
  | { readonly is: 'sent'; readonly isLast: boolean }
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
    await updateChatState(tx, which, outcome.is === 'never' ? maskDetail(outcome.why) : null, now)
    return { noted: true }
  },
})

async function updateChatState(
  tx: Tx,
  place: ChatAddress,
  detail: Detail | null,
  now: string,
): Promise<void> {
  const chat = await tx.first(selectChat, place)
  const trouble = detail && textOf(detail)
  const last_out_at = detail === null ? now : chat?.last_out_at
  if (chat)
    await tx.update('channel_chats', {
      ...chat,
      trouble,
      notice: noticeColumn(detail),
      last_out_at: last_out_at ?? null,
    })
  if (detail === null) await tx.update('channels', { channel: place.channel, last_out_at: now })
}
