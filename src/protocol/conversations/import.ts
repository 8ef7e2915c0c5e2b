/** Import of conversations from files (CV7), in pieces, because a long one exceeds a request. */
import * as z from 'zod'
import { Time } from '../text.ts'
import { Flags } from './conversation.ts'
import type { ReadConversation } from './conversation-file.ts'
import { Content, Extra, HistoryMessage, maxContentChars } from './message.ts'

const messagesPerPiece = 500
/** About a megabyte, unless a single message is longer. */
const charsPerPiece = 500_000
/** The largest message and summary with every character escaped. */
export const importLimit = 2 * maxContentChars * 6 + 1024 * 1024

export const ConversationPiece = z.strictObject({
  messages: z.array(HistoryMessage).max(messagesPerPiece),
  summary: Content.default(''),
  /** In either spelling. */
  flags: z.union([Flags, z.record(z.string(), z.unknown())]).default({}),
  created: Time.nullish(),
  /** Fields of other programs; kept when the piece creates the conversation. */
  extra: Extra.nullish(),
  /** When the messages were written, if known. */
  updated: Time.nullish(),
  /** Where the previous piece ended. */
  after: z.int().min(0).optional(),
})
export type ConversationPiece = z.output<typeof ConversationPiece>

export const ImportedPiece = z.object({
  key: z.string(),
  created: z.boolean(),
  added: z.number().int(),
  alreadyThere: z.number().int(),
  after: z.number().int(),
})
export type ImportedPiece = z.output<typeof ImportedPiece>

/** The pieces of a file to send in order; `after` comes with each answer. */
export function* piecesOf({
  messages,
  summary,
  flags,
  created,
  updated,
  extra,
}: ReadConversation): Generator<ConversationPiece> {
  let first: Pick<ConversationPiece, 'summary' | 'flags' | 'created' | 'extra'> = {
    summary,
    flags,
    created,
    extra,
  }
  for (let from = 0; from === 0 || from < messages.length; ) {
    const piece = messages.slice(from, from + fitting(messages, from))
    yield { messages: piece, ...first, updated }
    first = { summary: '', flags: {}, created: null }
    from += Math.max(piece.length, 1)
  }
}

/** Number of messages from there on; at least one. */
function fitting(messages: ReadConversation['messages'], from: number): number {
  let chars = 0
  for (let count = 0; count < messagesPerPiece; count++) {
    const message = messages[from + count]
    if (!message) return count
    chars += JSON.stringify(message).length
    if (chars > charsPerPiece && count > 0) return count
  }
  return messagesPerPiece
}
