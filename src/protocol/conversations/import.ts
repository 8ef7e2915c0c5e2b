/** Conversations that come in from files (CV7), piece by piece: a long one fits no single request. */
import * as z from 'zod'
import { Time } from '../text.ts'
import { Flags } from './conversation.ts'
import type { ReadConversation } from './conversation-file.ts'
import { Content, HistoryMessage, maxContentChars } from './message.ts'

const messagesPerPiece = 500
/** About a megabyte, unless a single message is longer. */
const charsPerPiece = 500_000
/** A message and a summary of the largest size, every character of them escaped. */
export const importLimit = 2 * maxContentChars * 6 + 1024 * 1024

/** `POST /api/conversations/K/import` */
export const ConversationPiece = z.strictObject({
  messages: z.array(HistoryMessage).max(messagesPerPiece),
  /** These count when the conversation begins with this. */
  summary: Content.default(''),
  /** In either spelling. */
  flags: z.union([Flags, z.record(z.string(), z.unknown())]).default({}),
  created: Time.nullish(),
  /** When the messages were said, as far as anybody knows. */
  updated: Time.nullish(),
  /** Where the piece before has come to. */
  after: z.int().min(0).optional(),
})
export type ConversationPiece = z.output<typeof ConversationPiece>

export const ImportedPiece = z.object({
  key: z.string(),
  /** It was not there before. */
  created: z.boolean(),
  /** Messages that were new here. */
  added: z.number().int(),
  alreadyThere: z.number().int(),
  /** For the next piece. */
  after: z.number().int(),
})
export type ImportedPiece = z.output<typeof ImportedPiece>

/** What is to be sent of a file, in order; `after` comes with each answer. */
export function* piecesOf({ messages, summary, flags, created, updated }: ReadConversation): Generator<ConversationPiece> {
  let first = { summary, flags, created }
  for (let from = 0; from === 0 || from < messages.length; ) {
    const piece = messages.slice(from, from + fitting(messages, from))
    yield { messages: piece, ...first, updated }
    first = { summary: '', flags: {}, created: null }
    from += Math.max(piece.length, 1)
  }
}

/** How many from there on; at least one. */
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
