/**
 * What a channel is to the server, whatever platform it is on (docs/channels.md says how to write one). An adapter knows its
 * platform's wire and nothing else: who is served, by which agent, what is said and what was said before is decided elsewhere.
 */
import type { ChannelName } from '../domain/channels/key.ts'

/** A message as it came in. */
export interface Inbound {
  readonly chatId: string
  readonly kind: 'person' | 'group'
  /** What the chat is called: a person's name, a group's title. */
  readonly title: string
  /** A name that is unique on the platform, without its sign; null where there is none. */
  readonly handle: string | null
  readonly senderId: string
  /** Who wrote it, as the platform shows them. */
  readonly senderName: string
  /** Unique within the chat, and the same whenever the platform delivers it again. */
  readonly messageId: string
  readonly text: string
  /** What hangs on it and is not text. */
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** The language its sender's device is set to, as a tag. */
  readonly language: string | undefined
}

/** Who we are there. */
export interface Account {
  /** Stays the same for ever: message ids count within it. */
  readonly id: string
  readonly name: string
  /** Where people find it. */
  readonly link: string | null
}

export interface ChannelHost {
  /** Connected, or connected again. */
  connected(account: Account): Promise<void>
  /** Resolves when the message is durable; only then may it be acknowledged to the platform. Rejected: not taken, deliver it again. */
  take(message: Inbound): Promise<void>
}

export interface ChannelAdapter {
  readonly channel: ChannelName
  /** The longest text of one message. */
  readonly maxChars: number
  /**
   * Connects, and hands over what comes in, each chat's messages in order, until the signal; then it resolves. When the connection
   * breaks it throws a ChannelFailure and is called again later.
   */
  run(host: ChannelHost, signal: AbortSignal): Promise<void>
  /** Resolves when the platform has taken the text (Markdown); otherwise throws a ChannelFailure. Never tries again by itself. */
  send(chatId: string, text: string, signal: AbortSignal): Promise<void>
  /** Shows that an answer is being written. May fail. */
  showTyping(chatId: string, signal: AbortSignal): Promise<void>
}

/**
 * refused: our credential does not count · elsewhere: another program uses it · busy: the platform wants us to wait · unreachable: it
 * was not reached at all · unknown: it was, and did not answer · gone: this chat cannot be written to · faulty: it took offence at what
 * was sent.
 */
export type FailureKind = 'refused' | 'elsewhere' | 'busy' | 'unreachable' | 'unknown' | 'gone' | 'faulty'

/** What went wrong, in words for the owner, without anything secret. */
export class ChannelFailure extends Error {
  readonly kind: FailureKind
  /** How long the platform wants us to wait. */
  readonly retryAfterMs: number | undefined

  constructor(kind: FailureKind, words: string, retryAfterMs?: number) {
    super(words)
    this.name = 'ChannelFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}
