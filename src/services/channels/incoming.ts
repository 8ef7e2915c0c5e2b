/** What comes in from a chat on a channel, and what became of it. */
import type { ChatLanguage } from '../../domain/channels/chat-texts.ts'
import type { ChatAddress, ChatCommand } from '../../domain/channels/key.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { ChatRow } from '../../store/channels/channels.ts'

/** What came in from a chat, as the platform tells it. */
export interface Incoming extends ChatAddress {
  /** The chat that this one is a thread of. */
  readonly parentId: string | null
  readonly kind: ChatRow['kind']
  /** Whether it mentions us, answers us, or everything there is for us. */
  readonly isForUs: boolean
  /** What the adapter needs to go on behind it. */
  readonly position?: string | undefined
  /** The platform's ids of the message and of its author. */
  readonly platformId: string
  readonly userId: string
  readonly title: string
  readonly handle: string | null
  readonly language: ChatLanguage
  /** The author, as the platform knows them. */
  readonly senderId: string
  readonly senderName: string
  /** The platform's message id, unique for our account. */
  readonly messageId: string
  readonly content: string
  /** An attachment that cannot be accepted. */
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** CN9: pictures and files, and the names of those that were not taken. */
  readonly media?: readonly PromptPart[]
  readonly left?: readonly string[]
  /** The command that the content is, and what follows it. */
  readonly command: { readonly command: ChatCommand; readonly rest: string } | undefined
}

/**
 * What a message caused: a message to an agent, a command, an unknown sender's request, or nothing.
 */
export type Taken = 'message' | 'command' | 'unpaired' | 'nothing'
