/**
 * Records the sending of what is queued for a channel, and its result. Before each call it is
 * looked whether it still counts: what was decided, ended or is late is removed unsent (CN7).
 */

import { type ChatLanguage, chatWords } from '../../domain/channels/chat-texts.ts'
import type { ChatAddress } from '../../domain/channels/key.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { maskDetail } from '../../platform/log/mask.ts'
import { selectChat } from '../../store/channels/channels.ts'
import type { OutboxRow } from '../../store/channels/outbox.ts'
import { noticeColumn } from '../../store/fields.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'
import { type AskButton, contentToAsk, contentToEdit, recordAsk } from './ask-record.ts'
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
  /** Under the only part. */
  readonly buttons?: readonly AskButton[]
  /** The message that the content replaces. */
  readonly editRef?: string
  /** The message in which an answer was shown while it was written. */
  readonly draft?: { readonly turnId: string; readonly ref: string | null } | undefined
}

const keyOf = ({ channel, chatId, n }: ChatAddress & { readonly n: number }) => ({
  target: channel,
  lane: chatId,
  n,
})

/**
 * Records the intent to send a part first. After a crash in between it may have arrived, and a
 * repeat says so.
 */
export const beginSending = defineUseCase('begin-sending', {
  scope: 'server',
  on: 'nobody',
  streams: (input: OutgoingKey) => [chatStream(input)],
  run: async (tx, { holder, ...which }, context): Promise<{ begun: BegunPart | null }> => {
    const { now } = context
    const row = await tx.row('outbox', keyOf(which))
    const isOurs = (await tx.row('channels', which))?.holder === holder
    if (!row || !isOurs || row.not_before > now) return { begun: null }
    const chat = await tx.first(selectChat, which)
    const language = chat?.language ?? 'en'
    const isLate = row.expires_at !== null && row.expires_at <= now
    const shown = isLate ? undefined : await contentOf(tx, which, row, language, context)
    if (!shown) {
      await tx.delete('outbox', keyOf(which))
      return { begun: null }
    }
    const maybeSent = row.state === 'sending' || row.maybe_sent === 1
    const state = { state: 'sending', maybe_sent: maybeSent ? 1 : 0 } as const
    await tx.update('outbox', { ...keyOf(which), ...state })
    const { part, attempts, created_at: createdAt } = row
    const isFirst = row.kind === 'answer' && part === 0
    const turnId = isFirst ? chat?.draft_turn : null
    const draft = turnId ? { turnId, ref: chat?.draft_ref ?? null } : undefined
    const about = { language, afterRef: chat?.last_ref ?? null, draft }
    return { begun: { ...shown, part, maybeSent, attempts, createdAt, ...about } }
  },
})

/** What is sent; undefined when there is nothing to be said any more. */
async function contentOf(
  tx: Tx,
  place: ChatAddress,
  { kind, body }: OutboxRow,
  language: ChatLanguage,
  context: Context,
): Promise<Pick<BegunPart, 'content' | 'buttons' | 'editRef'> | undefined> {
  if (kind === 'text' || kind === 'answer') return { content: body }
  const about = { ...context, language }
  if (kind === 'edit') return contentToEdit(tx, JSON.parse(body), about)
  return contentToAsk(tx, place, JSON.parse(body), about)
}

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
    const row = await tx.row('outbox', keyOf(which))
    if (!row || row.part !== part) return { noted: false }
    if (outcome.is === 'later') {
      const notBefore = later(now, outcome.afterMs)
      await tx.update('outbox', {
        ...keyOf(which),
        state: 'waiting',
        attempts: row.attempts + 1,
        not_before: notBefore,
        maybe_sent: outcome.maybeSent || row.maybe_sent === 1 ? 1 : 0,
      })
      return { noted: true }
    }
    if (outcome.is === 'never' || outcome.isLast) await tx.delete('outbox', keyOf(which))
    else
      await tx.update('outbox', {
        ...keyOf(which),
        part: part + 1,
        state: 'waiting',
        maybe_sent: 0,
        attempts: 0,
      })
    if (row.kind === 'ask' && outcome.is === 'sent' && outcome.ref !== null)
      await recordAsk(tx, which, { ...JSON.parse(row.body), ref: outcome.ref }, now)
    await updateChatState(tx, which, outcome, now)
    if (row.kind === 'answer' && part === 0) await forgetDraft(tx, which)
    return { noted: true }
  },
})

/** The draft has become the first part, or was given up with it. */
async function forgetDraft(tx: Tx, place: ChatAddress): Promise<void> {
  const chat = await tx.first(selectChat, place)
  if (chat && chat.draft_turn !== null)
    await tx.update('channel_chats', { ...chat, draft_turn: null, draft_ref: null })
}

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
