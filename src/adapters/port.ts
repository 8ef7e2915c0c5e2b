/**
 * Interface of a channel adapter, for any platform (docs/channels.md describes how to write one).
 * An adapter only knows its platform's protocol; who is served by which agent is decided elsewhere.
 */

import type { ChannelName } from '../domain/channels/key.ts'
import { type Detail, DetailError } from '../domain/notices.ts'
import type { ConfigValues } from '../protocol/config.ts'
import type { ReceivedFiles } from './received-files.ts'

export interface Inbound {
  readonly chatId: string
  /** The chat that this one is a thread of. It is served when that one is, by the same agent. */
  readonly parentId: string | null
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
  /** Whether it is meant for us: it mentions us, answers us, or everything there does. */
  readonly isForUs: boolean
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** Fetches the files of the message; asked only where the chat is served. */
  readonly files?: () => Promise<ReceivedFiles>
  /** Language tag of the sender's device. */
  readonly language: string | undefined
  /** Fetched some time after it was written. */
  readonly isLate?: boolean
  /** What a later run needs to go on behind this message; stored with it. */
  readonly position?: string
}

/** Our account on the platform. */
export interface Account {
  /** Never changes: message ids are unique within it. */
  readonly id: string
  readonly name: string
  /** A link to the chat with us, to which a code can be added; null where there is none. */
  readonly link: string | null
}

/** A chat that is served, and the id of its last message that was taken. */
export interface ServedChat {
  readonly chatId: string
  readonly parentId: string | null
  readonly kind: 'person' | 'group'
  readonly lastId: string
}

export interface ChannelHost {
  connected(account: Account): Promise<void>
  /**
   * Resolves when the message is durable and may be acknowledged. Rejects when the platform must
   * deliver it again.
   */
  take(message: Inbound): Promise<void>
  /**
   * Takes a press. Resolves, once it is durable, with words for the presser alone; null where none
   * are needed.
   */
  press(press: Press): Promise<string | null>
  /** The position that the last message taken came with; null before the first. */
  position(): Promise<string | null>
  /** The chats in which something may have been written while we were not connected. */
  servedChats(): Promise<readonly ServedChat[]>
  /** Says in a chat that more was missed than can be fetched. */
  tellMissed(chatId: string, count: number): Promise<void>
}

/** How a platform is found in the settings, and its adapter loaded. */
export interface ChannelDoor {
  readonly name: ChannelName
  readonly isConfigured: (config: ConfigValues) => boolean
  readonly open: (config: ConfigValues) => Promise<ChannelAdapter>
}

export interface Outbound {
  readonly chatId: string
  /** Markdown. */
  readonly text: string
  /** Names this part, the same in every attempt. At most 25 characters. */
  readonly partId: string
  readonly buttons?: readonly Button[] | undefined
}

/** A message of ours that is written anew, without its buttons. */
export interface Edit {
  readonly chatId: string
  readonly ref: string
  readonly text: string
}

/** A button under a message. A press hands its token over. */
export interface Button {
  readonly label: string
  readonly token: string
  readonly style: 'yes' | 'no' | 'plain'
}

/** A press, as the platform tells it. */
export interface Press {
  /** The chat of the message that the button is in. */
  readonly chatId: string
  readonly userId: string
  readonly token: string
}

/** The id of the message in which an answer is shown while it is written. */
export const draftPartId = (turnId: string): string => `d${turnId.replaceAll('-', '').slice(-24)}`

/** What the platform took. */
export interface Sent {
  /** The platform's id of the message; null where it has none. */
  readonly ref: string | null
}

/** `absent`: it certainly did not arrive. `unsure`: there is no telling. */
export type Found = Sent | 'absent' | 'unsure'

/** A part that was begun, and of which it is not known whether it arrived. */
export interface Sought extends Outbound {
  /** The last message of ours that is known to have arrived in the chat. */
  readonly afterRef: string | null
}

export interface ChannelAdapter {
  readonly channel: ChannelName
  /**
   * Longest text of one message. A half-sent answer is continued by the number of its part, so a
   * changed value loses or doubles parts.
   */
  readonly maxChars: number
  /** The length of a text as the platform counts it. Left out: that of the text. */
  readonly lengthOf?: (text: string) => number
  /** How often a message may be edited while an answer is written. Left out: it is not shown. */
  readonly drafts?: { readonly everyMs: number; readonly perMinute: number }
  /**
   * Connects and delivers incoming messages, in order within a chat, until the signal aborts.
   * Throws a ChannelFailure when the connection fails; it is then called again later.
   */
  run(host: ChannelHost, signal: AbortSignal): Promise<void>
  /**
   * Resolves when the platform has accepted the text; throws a ChannelFailure otherwise. Never
   * retries by itself.
   */
  send(message: Outbound, signal: AbortSignal): Promise<Sent>
  /** Writes a message of ours anew. Throws like `send`; the same again changes nothing. */
  edit(message: Edit, signal: AbortSignal): Promise<void>
  /**
   * Looks for a part that may have arrived. Left out where the platform cannot tell. Throws like
   * `send`.
   */
  findSent?(part: Sought, signal: AbortSignal): Promise<Found>
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

/** Whether only this chat fails, and not the connection or our credential. */
export const isOfChat = ({ kind }: ChannelFailure): boolean => kind === 'gone' || kind === 'faulty'

/** Error codes of a connection after which nothing was sent. */
const neverReached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'CERT_HAS_EXPIRED',
  'UND_ERR_CONNECT_TIMEOUT',
])

export const isNeverReached = (code: string): boolean => neverReached.has(code)

/** The code of an error or of one of its causes; empty if there is none. */
export function codeOf(error: unknown): string {
  for (let cause: unknown = error, depth = 0; cause && depth < 5; depth++) {
    const {
      code,
      error: inner,
      original,
      cause: under,
    } = cause as { code?: unknown; error?: unknown; original?: unknown; cause?: unknown }
    const below = inner ?? original ?? under
    if (typeof code === 'string' && !(below instanceof Error)) return code
    cause = below
  }
  return ''
}
