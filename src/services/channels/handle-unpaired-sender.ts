/**
 * Handles a message from an unpaired chat (CN2). A valid code pairs the chat. Otherwise the owner sees the chat and the sender
 * is told how to be paired, a few times. The message is not stored; senders, attempts and answers are bounded.
 */

import { systemId } from '../../domain/access/caller.ts'
import { type ChatLanguage, chatWords } from '../../domain/channels/chat-texts.ts'
import type { ChatAddress } from '../../domain/channels/key.ts'
import { askingLifetimeMs, isAnswered, maxAskingChats, maxUnpairedAttempts, readCode } from '../../domain/channels/pairing.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import { type ChatRow, selectAsking, selectChat } from '../../store/channels/channels.ts'
import { newRow } from '../../store/rows.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { chatStream, queueOutgoing, writeChat } from './channel-chat-record.ts'
import { chatHasChanged } from './take-channel-message.ts'

export interface UnpairedMessage extends ChatAddress {
  readonly kind: ChatRow['kind']
  readonly title: string
  readonly handle: string | null
  readonly language: ChatLanguage
  /** The possible code: the text, or the argument of /start. */
  readonly attempt: string
}

export const handleUnpairedSender = defineUseCase('handle-unpaired-sender', {
  streams: (input: UnpairedMessage) => [chatStream(input), home],
  run: async (tx, input, { now }): Promise<{ state: ChatRow['state'] | null }> => {
    const before = await tx.first(selectChat, input)
    if (before?.state === 'paired') throw chatHasChanged()
    const known = before ? withRenewedRequest(before, now) : await addAskingChat(tx, input, now)
    if (!known) return { state: null }
    const { kind, title, handle, language } = input
    const row = { ...known, kind, title, handle, language, attempts: known.attempts + 1, last_in_at: now }
    const words = chatWords(language)
    const code = readCode(input.attempt)
    const pairedBy =
      code !== undefined && known.attempts < maxUnpairedAttempts ? await consumeCode(tx, input, code, now) : undefined
    if (pairedBy !== undefined) {
      const paired = { ...row, state: 'paired', attempts: 0, decided_at: now, decided_by: pairedBy } as const
      await writeChat(tx, paired, pairedBy)
      await queueOutgoing(tx, input, words.paired, now)
      return { state: 'paired' }
    }
    if (isAnswered(known.state, known.attempts)) {
      await writeChat(tx, row, systemId)
      await queueOutgoing(tx, input, code === undefined ? words.unpaired : words.wrongCode, now)
      // Later messages are not answered. Only tried codes are counted.
    } else if (code !== undefined && known.attempts < maxUnpairedAttempts) await tx.update('channel_chats', row)
    return { state: row.state }
  },
})

/** An old request counts as a new one. */
const withRenewedRequest = (row: ChatRow, now: Instant): ChatRow =>
  row.state === 'asking' && isExpired(row.asked_at, now) ? { ...row, asked_at: now, attempts: 0 } : row

const isExpired = (askedAt: Instant, now: Instant): boolean => later(askedAt, askingLifetimeMs) <= now

/** Undefined when too many chats are asking. */
async function addAskingChat(tx: Tx, input: UnpairedMessage, now: Instant): Promise<ChatRow | undefined> {
  const { channel } = input
  const asking = await tx.all(selectAsking, { channel, limit: maxAskingChats + 1 })
  const forgotten = asking.filter(({ asked_at }) => isExpired(asked_at, now))
  for (const { chat_id } of forgotten) await tx.delete('channel_chats', { channel, chat_id: chat_id })
  if (asking.length - forgotten.length >= maxAskingChats) return undefined
  const { chatId: chat_id, kind, title, handle, language } = input
  const about = { channel, chat_id, kind, title, handle, language }
  const row = newRow('channel_chats', { ...about, state: 'asking', asked_at: now, last_in_at: now })
  await tx.insert('channel_chats', row)
  return row
}

/** Consumes a valid code and returns its maker. */
async function consumeCode(tx: Tx, { channel }: ChatAddress, code: string, now: Instant): Promise<string | undefined> {
  const found = await tx.row('pairing_codes', { channel, hash: hashSecret(code) })
  if (!found || found.expires_at <= now) return undefined
  await tx.delete('pairing_codes', { channel, hash: found.hash })
  return found.created_by
}
