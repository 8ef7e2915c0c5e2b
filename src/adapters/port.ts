/**
 * Interface of a channel adapter, for any platform (docs/channels.md describes how to write one).
 * An adapter only knows its platform's protocol; who is served by which agent is decided elsewhere.
 */

import type { ChannelName } from '../domain/channels/key.ts'
import { type Detail, DetailError } from '../domain/notices.ts'
import type { ConfigValues } from '../protocol/config.ts'

export interface Inbound {
  readonly chatId: string
  readonly kind: 'person' | 'group'
  /** Title of the chat: a person's name or a group's title. */
  readonly title: string
  /** Unique name on the platform without its prefix; null if there is none. */
  readonly handle: string | null
  readonly senderId: string
  readonly senderName: string
  /** Unique within the chat, and the same in every redelivery. */
  readonly messageId: string
  readonly text: string
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** Language tag of the sender's device. */
  readonly language: string | undefined
}

/** Our account on the platform. */
export interface Account {
  /** Never changes: message ids are unique within it. */
  readonly id: string
  readonly name: string
  readonly link: string | null
}

export interface ChannelHost {
  connected(account: Account): Promise<void>
  /**
   * Resolves when the message is durable and may be acknowledged. Rejects when the platform must
   * deliver it again.
   */
  take(message: Inbound): Promise<void>
}

/** How a platform is found in the settings, and its adapter loaded. */
export interface ChannelDoor {
  readonly isConfigured: (config: ConfigValues) => boolean
  readonly load: (config: ConfigValues) => Promise<ChannelAdapter>
}

export interface ChannelAdapter {
  readonly channel: ChannelName
  /**
   * Longest text of one message. A half-sent answer is continued by the number of its part, so a
   * changed value loses or doubles parts.
   */
  readonly maxChars: number
  /**
   * Connects and delivers incoming messages, in order within a chat, until the signal aborts.
   * Throws a ChannelFailure when the connection fails; it is then called again later.
   */
  run(host: ChannelHost, signal: AbortSignal): Promise<void>
  /**
   * Resolves when the platform has accepted the text (Markdown); throws a ChannelFailure otherwise.
   * Never retries by itself.
   */
  send(chatId: string, text: string, signal: AbortSignal): Promise<void>
  /** Shows that an answer is being written. May fail. */
  showTyping(chatId: string, signal: AbortSignal): Promise<void>
}

/**
 * refused: our credential is invalid · elsewhere: another program uses it · busy: the platform asks
 * us to wait · unreachable: the request did not arrive · unknown: it may have arrived, without an
 * answer · gone: the chat cannot be written to · faulty: the platform rejected the content.
 */
export type FailureKind =
  | 'refused'
  | 'elsewhere'
  | 'busy'
  | 'unreachable'
  | 'unknown'
  | 'gone'
  | 'faulty'

/** A failure described for the owner, without secrets. */
export class ChannelFailure extends DetailError {
  readonly kind: FailureKind
  readonly retryAfterMs: number | undefined

  constructor(kind: FailureKind, words: Detail, retryAfterMs?: number) {
    super(words)
    this.name = 'ChannelFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}
