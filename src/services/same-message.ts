/** Whether a message that comes in is one that is kept: the same words by the same role, with the same beside them (CV7). */
import type { ConversationPiece } from '../protocol/import.ts'
import type { Message } from '../protocol/message.ts'

export const isSame = (kept: Message, given: ConversationPiece['messages'][number]): boolean =>
  kept.role === given.role &&
  kept.content === given.content &&
  kept.toolCallId === (given.toolCallId ?? null) &&
  JSON.stringify(kept.toolCalls) === JSON.stringify(given.toolCalls ?? null) &&
  JSON.stringify(kept.media) === JSON.stringify(given.media ?? null) &&
  JSON.stringify(kept.extra) === JSON.stringify(given.extra ?? null)
