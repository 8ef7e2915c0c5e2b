/**
 * Receives messages of a channel, each once (CN2): the platform's message id is stored as a receipt
 * in the same commit. The receipt outlives every redelivery of a platform.
 */

import { languageOf } from '../domain/channels/chat-texts.ts'
import { type ChannelName, type ChatAddress, parseCommand } from '../domain/channels/key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/log/logger.ts'
import { storable } from '../protocol/text.ts'
import type { Taken } from '../services/channels/incoming.ts'
import { isChatServed } from '../services/channels/queries.ts'
import { takeIncoming } from '../services/flows/channels/take-incoming.ts'
import type { ReceiptKey, Store } from '../store/store.ts'
import type { Account, Inbound } from './port.ts'
import type { ReceivedFiles } from './received-files.ts'

const maxTitleChars = 100

export interface InboxOptions {
  readonly store: Store
  readonly logger: Logger
  readonly channel: ChannelName
}

export class Inbox {
  readonly #options: InboxOptions

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** Rejects when the message was not stored and should be delivered again. */
  async take(account: Account, message: Inbound): Promise<Taken> {
    const { store, channel, logger } = this.#options
    const { chatId, parentId, isForUs, position } = message
    // What people say to one another is not even written down as heard.
    if (message.kind === 'group' && !isForUs && parentId === null) return 'nothing'
    const place = { channel, chatId }
    const receipt = receiptOf(place, account, message)
    const content = storable(message.text).trim()
    const files = await this.#filesOf(message)
    const incoming = {
      ...place,
      ...shownOf(message),
      parentId,
      isForUs,
      position,
      platformId: message.messageId,
      userId: message.senderId,
      senderId: `${channel}:${message.senderId}`,
      senderName: oneLine(message.senderName),
      messageId: receipt.key,
      content,
      attachment: message.attachment,
      media: files?.parts ?? [],
      left: (files?.left ?? []).map(oneLine),
      command: parseCommand(content, channel, account.name),
    }
    try {
      return (await store.run(takeIncoming, incoming, receipt)).taken
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'busy' || error.code === 'store_unavailable') throw error
      // A redelivery would be refused again and block everything behind it.
      logger.warn(
        { channel, chatId: message.chatId, code: error.code },
        'message could not be received and was skipped',
      )
      return 'nothing'
    }
  }

  /** Nothing is fetched for people who are not let in. */
  async #filesOf({ files, chatId, parentId }: Inbound): Promise<ReceivedFiles | undefined> {
    if (!files) return undefined
    const { store, channel } = this.#options
    const place = { channel, chatId: parentId ?? chatId }
    return (await store.query(isChatServed, place)) ? files() : undefined
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
