/**
 * Compares messages of files with stored ones (CV7). A message of a file of ours may have the name
 * of who wrote it, which the stored one keeps elsewhere (CV14).
 */
import type { ConversationPiece } from '../../protocol/conversations/import.ts'
import type { Message } from '../../protocol/conversations/message.ts'

/** Whether an imported message equals a stored one: same role, content and attachments (CV7). */
export const isSame = (stored: Message, given: ConversationPiece['messages'][number]): boolean =>
  stored.role === given.role &&
  stored.content === given.content &&
  stored.toolCallId === (given.toolCallId ?? null) &&
  JSON.stringify(stored.toolCalls) === JSON.stringify(given.toolCalls ?? null) &&
  JSON.stringify(stored.media) === JSON.stringify(given.media ?? null) &&
  isSameExtra(stored.extra, given.extra ?? null)

type MessageExtra = Message['extra']

/** A file of ours names who wrote (CV14) where the message has no name of its own. */
function isSameExtra(stored: MessageExtra, given: MessageExtra): boolean {
  if (JSON.stringify(stored) === JSON.stringify(given)) return true
  if (given === null || stored?.['name'] !== undefined) return false
  const { name: _, ...others } = given
  return JSON.stringify(stored ?? {}) === JSON.stringify(others)
}
