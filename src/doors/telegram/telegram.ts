/**
 * Telegram adapter (CN1). Uses long polling, so that it works behind NAT. An update is acknowledged
 * by asking for the next one, only after it was stored; redeliveries are recognised by message id.
 * Loaded only when there is a token.
 */
import { Api, GrammyError, HttpError } from 'grammy/web'
import {
  type Button,
  type ChannelAdapter,
  ChannelFailure,
  type ChannelHost,
  codeOf,
  type Edit,
  type Inbound,
  isNeverReached,
  type Outbound,
  type Sent,
} from '../../adapters/port.ts'
import { splitThreadId, threadId } from '../../domain/channels/key.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { mask, masked } from '../../platform/log/mask.ts'
import './no-local-storage.ts'
import type { CallbackQuery, Message, Update } from 'grammy/types'
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
        { offset, timeout, limit: updatesAtOnce, allowed_updates: ['message', 'callback_query'] },
        asTheirs(signal),
      ),
    )

  /** What is said about a press only its presser sees. */
  async function press(host: ChannelHost, query: CallbackQuery, signal: AbortSignal) {
    const { id, from, data: token, message } = query
    if (token === undefined || !message || from.is_bot) return
    const words = await host.press({ chatId: chatIdOf(message), userId: String(from.id), token })
    const shown = words === null ? {} : { text: words.slice(0, 190), show_alert: true }
    await sending.answerCallbackQuery(id, shown, asTheirs(signal)).catch(() => {})
  }

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
          if (update.callback_query) await press(host, update.callback_query, signal)
          offset = update.update_id + 1
        }
      }
    },

    async send({ chatId, text, buttons = [] }: Outbound, signal: AbortSignal): Promise<Sent> {
      const [chat, thread] = splitThreadId(chatId)
      const more = {
        link_preview_options: { is_disabled: true },
        ...(thread !== undefined && { message_thread_id: Number(thread) }),
        ...(buttons.length > 0 && { reply_markup: { inline_keyboard: [keysOf(buttons)] } }),
      }
      const options = { ...more, parse_mode: 'HTML' } as const
      try {
        return sentAs(
          await sending.sendMessage(chat, telegramHtml(text), options, asTheirs(signal)),
        )
      } catch (error) {
        // Not sent because of its formatting: sent again as plain text.
        if (!(error instanceof GrammyError) || !/can't parse entities/i.test(error.description))
          throw failureOf(error, token)
        return sentAs(await orFailure(sending.sendMessage(chat, text, more, asTheirs(signal))))
      }
    },

    async edit({ chatId, ref, text }: Edit, signal: AbortSignal): Promise<void> {
      const [chat] = splitThreadId(chatId)
      const options = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const
      const call = sending.editMessageText(
        chat,
        Number(ref),
        telegramHtml(text),
        options,
        asTheirs(signal),
      )
      await call.catch((error: unknown) => {
        const isSame = error instanceof GrammyError && /not modified/i.test(error.description)
        if (!isSame) throw failureOf(error, token)
      })
    },

    async showTyping(chatId: string, signal: AbortSignal): Promise<void> {
      const [chat] = splitThreadId(chatId)
      await orFailure(sending.sendChatAction(chat, 'typing', {}, asTheirs(signal)))
    },
  }
}

const keysOf = (buttons: readonly Button[]) =>
  buttons.map(({ label: text, token: callback_data }) => ({ text, callback_data }))

/** A topic of a group is a thread; its first one, `General`, is the group itself. */
const topicOf = (message: Chatted): number | undefined =>
  message.is_topic_message ? message.message_thread_id : undefined

type Chatted = Pick<Message, 'chat'> &
  Partial<Pick<Message, 'is_topic_message' | 'message_thread_id'>>

const chatIdOf = (message: Chatted): string => {
  const topic = topicOf(message)
  const id = String(message.chat.id)
  return topic === undefined ? id : threadId(id, String(topic))
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
    chatId: chatIdOf(message),
    parentId: topicOf(message) === undefined ? null : String(chat.id),
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
