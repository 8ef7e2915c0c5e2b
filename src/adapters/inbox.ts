/**
 * Receives messages of a channel, each once (CN2): the platform's message id is stored as a receipt in the same commit. The
 * receipt outlives every redelivery of a platform.
 */

import { languageOf } from '../domain/channels/chat-texts.ts'
import { type ChannelName, type ChatAddress, parseCommand } from '../domain/channels/key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/log/logger.ts'
import { storable } from '../protocol/text.ts'
import { findChat } from '../services/channels/queries.ts'
import {
  handleUnpairedSender,
  runChatCommand,
  takeChannelMessage,
} from '../services/flows/incoming.ts'
import type { ReceiptKey, Store } from '../store/store.ts'
import type { Account, Inbound } from './port.ts'

/** Upper bound of retries when the state of the chat changes in between. */
const maxTries = 5
const maxTitleChars = 100

export interface InboxOptions {
  readonly store: Store
  readonly logger: Logger
  readonly channel: ChannelName
}

/** What a message caused: a message to an agent, a command, an unknown sender's request, or nothing (handled before). */
export type Taken = 'message' | 'command' | 'unpaired' | 'nothing'

export class Inbox {
  readonly #options: InboxOptions

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** Rejects when the message was not stored and should be delivered again. */
  async take(account: Account, message: Inbound): Promise<Taken> {
    for (let look = 1; ; look++) {
      try {
        return await this.#take(account, message)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.code === 'busy' && look < maxTries) continue
        if (error.code === 'busy' || error.code === 'store_unavailable') throw error
        // A redelivery would be refused again and block everything behind it.
        const { channel, logger } = this.#options
        logger.warn(
          { channel, chatId: message.chatId, code: error.code },
          'message could not be received and was skipped',
        )
        return 'nothing'
      }
    }
  }

  async #take(account: Account, message: Inbound): Promise<Taken> {
    const { store, channel } = this.#options
    const place = { channel, chatId: message.chatId }
    const receipt = receiptOf(place, account, message)
    const text = storable(message.text).trim()
    const found = await store.query(findChat, place)
    const command = parseCommand(text, account.name)
    if (found.state !== 'paired') {
      await store.run(
        handleUnpairedSender,
        { ...place, ...shownOf(message), attempt: command?.rest || text },
        receipt,
      )
      return 'unpaired'
    }
    const { route, work } = found
    const senderId = `${channel}:${message.senderId}`
    if (command) {
      await store.run(
        runChatCommand,
        { ...place, command: command.command, senderId, route, work },
        receipt,
      )
      return 'command'
    }
    if (text === '' && message.attachment === null) return 'nothing'
    const { attachment } = message
    const senderName = oneLine(message.senderName)
    const taken = {
      ...place,
      senderId,
      senderName,
      messageId: receipt.key,
      content: text,
      attachment,
      route,
    }
    await store.run(takeChannelMessage, taken, receipt)
    return 'message'
  }
}

const shownOf = ({ kind, title, handle, language }: Inbound) => ({
  kind,
  title: oneLine(title),
  handle: handle === null ? null : oneLine(handle),
  language: languageOf(language),
})

/** Shortens names to one line, because senders choose them. */
const oneLine = (text: string): string =>
  storable(text)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, maxTitleChars)
    .toWellFormed()

/** Does not depend on the text: a platform may redeliver a message with other words. */
const receiptOf = (
  { channel, chatId }: ChatAddress,
  account: Account,
  { messageId }: Inbound,
): ReceiptKey => ({
  credentialId: `channel:${channel}`,
  operation: 'channel-message',
  key: `${account.id}/${chatId}/${messageId}`,
  contentHash: '',
  sealedBy: '',
})
