/**
 * Compares messages of files with stored ones (CV7). A message of a file of ours may have the name
 * of who wrote it, which the stored one keeps elsewhere (CV14).
 */
import type { ConversationPiece } from '../../protocol/conversations/import.ts'
import type { Message } from '../../protocol/conversations/message.ts'

/** Whether an imported message equals a stored one: same role, content and attachments (CV7). */
export const isSame = (kept: Message, given: ConversationPiece['messages'][number]): boolean =>
  kept.role === given.role &&
  kept.content === given.content &&
  kept.toolCallId === (given.toolCallId ?? null) &&
  JSON.stringify(kept.toolCalls) === JSON.stringify(given.toolCalls ?? null) &&
  JSON.stringify(kept.media) === JSON.stringify(given.media ?? null) &&
  isSameExtra(kept.extra, given.extra ?? null)

type MessageExtra = Message['extra']

/** A file of ours names who wrote (CV14) where the message has no name of its own. */
function isSameExtra(kept: MessageExtra, given: MessageExtra): boolean {
  if (JSON.stringify(kept) === JSON.stringify(given)) return true
  if (given === null || kept?.['name'] !== undefined) return false
  const { name: _, ...others } = given
  return JSON.stringify(kept ?? {}) === JSON.stringify(others)
}
