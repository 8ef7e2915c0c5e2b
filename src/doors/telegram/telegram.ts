/**
 * Telegram adapter (CN1). Uses long polling, so that it works behind NAT. An update is acknowledged
 * by asking for the next one, only after it was stored; redeliveries are recognised by message id.
 * Loaded only when there is a token.
 */
import { Api, GrammyError, HttpError } from 'grammy/web'
import {
  type ChannelAdapter,
  ChannelFailure,
  type ChannelHost,
  codeOf,
  type Inbound,
  isNeverReached,
  type Outbound,
  type Sent,
} from '../../adapters/port.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { mask, masked } from '../../platform/log/mask.ts'
import './no-local-storage.ts'
import type { Message, Update } from 'grammy/types'
import { telegramHtml } from './markdown.ts'

// Describes Telegram failures for the owner. The bot's token is part of every URL, so only
// Telegram's own description is passed on, without the token (SE7).

function failureOf(error: unknown, token: string): ChannelFailure {
  const clean = (text: string): string => mask(text.replaceAll(token, masked))
  if (error instanceof GrammyError) return refusedBy(error, clean(error.description))
  const code = codeOf(error)
  if (error instanceof HttpError && isNeverReached(code))
    return new ChannelFailure('unreachable', statusNotice('telegramUnreachable', { code }))
  const why = code || clean(error instanceof HttpError ? error.message : String(error))
  return new ChannelFailure('unknown', statusNotice('telegramSilent', { why }))
}

function refusedBy({ error_code, parameters }: GrammyError, description: string): ChannelFailure {
  const retryAfterMs =
    parameters.retry_after === undefined ? undefined : parameters.retry_after * 1000
  const why = { why: description }
  switch (error_code) {
    case 401:
    case 404:
      return new ChannelFailure('refused', statusNotice('telegramToken'))
    case 409:
      return new ChannelFailure('elsewhere', statusNotice('telegramElsewhere', why))
    case 429:
      return new ChannelFailure('busy', statusNotice('telegramBusy'), retryAfterMs)
    case 403:
      return new ChannelFailure('gone', statusNotice('telegramClosed', why))
    case 400: {
      const isGone = /chat not found|user is deactivated|group chat was upgraded/i.test(description)
      return new ChannelFailure(isGone ? 'gone' : 'faulty', statusNotice('telegramRefused', why))
    }
    default:
      return new ChannelFailure(
        'unreachable',
        statusNotice('telegramTrouble', { code: error_code, ...why }),
        retryAfterMs,
      )
  }
}

/** Time Telegram keeps a poll open when there is nothing new. */
const pollSeconds = 50
/** Longer than a poll, so that only a dead connection is given up. */
const pollWithinSeconds = 75
const sendWithinSeconds = 30
const updatesAtOnce = 100

export interface TelegramOptions {
  readonly token: string
  /** Another Bot API server; Telegram's own when left out. */
  readonly apiRoot?: string | undefined
}

/**
 * The library's types are for older versions of Node with another AbortSignal; `grammy/web` accepts
 * Node's own.
 */
type Signal = Parameters<Api['getMe']>[0]
const asTheirs = (signal: AbortSignal): Signal => signal as unknown as Signal

export function telegram({ token, apiRoot }: TelegramOptions): ChannelAdapter {
  const root = apiRoot === undefined ? {} : { apiRoot }
  const polling = new Api(token, { ...root, timeoutSeconds: pollWithinSeconds })
  const sending = new Api(token, { ...root, timeoutSeconds: sendWithinSeconds })

  const orFailure = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call
    } catch (error) {
      throw failureOf(error, token)
    }
  }

  const poll = (offset: number, timeout: number, signal: AbortSignal): Promise<Update[]> =>
    orFailure(
      polling.getUpdates(
        { offset, timeout, limit: updatesAtOnce, allowed_updates: ['message'] },
        asTheirs(signal),
      ),
    )

  return {
    channel: 'telegram',
    maxChars: 4096,

    async run(host: ChannelHost, signal: AbortSignal): Promise<void> {
      const { id, username } = await orFailure(sending.getMe(asTheirs(signal)))
      // Only a successful poll proves the connection: another program may be polling already.
      let updates = await poll(0, 0, signal)
      await host.connected({ id: String(id), name: username, link: `https://t.me/${username}` })
      for (let offset = 0; !signal.aborted; updates = await poll(offset, pollSeconds, signal)) {
        for (const update of updates) {
          if (signal.aborted) return
          const inbound = update.message && inboundOf(update.message)
          if (inbound) await host.take(inbound)
          offset = update.update_id + 1
        }
      }
    },

    async send({ chatId, text }: Outbound, signal: AbortSignal): Promise<Sent> {
      const options = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const
      try {
        return sentAs(
          await sending.sendMessage(chatId, telegramHtml(text), options, asTheirs(signal)),
        )
      } catch (error) {
        // Not sent because of its formatting: sent again as plain text.
        if (!(error instanceof GrammyError) || !/can't parse entities/i.test(error.description))
          throw failureOf(error, token)
        return sentAs(await orFailure(sending.sendMessage(chatId, text, {}, asTheirs(signal))))
      }
    },

    async showTyping(chatId: string, signal: AbortSignal): Promise<void> {
      await orFailure(sending.sendChatAction(chatId, 'typing', {}, asTheirs(signal)))
    },
  }
}

const sentAs = ({ message_id }: { readonly message_id: number }): Sent => ({
  ref: String(message_id),
})

/** Returns undefined for service messages, such as a join. */
function inboundOf(message: Message): Inbound | undefined {
  const { chat, from, text, caption } = message
  if (!from || from.is_bot || chat.type === 'channel') return undefined
  const attachment = attachmentOf(message)
  if (text === undefined && attachment === null) return undefined
  const isPerson = chat.type === 'private'
  return {
    chatId: String(chat.id),
    parentId: null,
    // In a group Telegram itself hands over only what its owner wants bots to have.
    isForUs: true,
    kind: isPerson ? 'person' : 'group',
    title: isPerson ? [chat.first_name, chat.last_name].filter(Boolean).join(' ') : chat.title,
    handle: ('username' in chat ? chat.username : undefined) ?? null,
    senderId: String(from.id),
    senderName: [from.first_name, from.last_name].filter(Boolean).join(' '),
    messageId: String(message.message_id),
    text: text ?? caption ?? '',
    attachment,
    language: from.language_code,
  }
}

const otherAttachments = [
  'document',
  'video',
  'audio',
  'sticker',
  'animation',
  'video_note',
  'location',
  'contact',
  'poll',
] as const

function attachmentOf(message: Message): Inbound['attachment'] {
  if (message.photo) return 'photo'
  if (message.voice) return 'voice'
  return otherAttachments.some((kind) => message[kind] !== undefined) ? 'other' : null
}
