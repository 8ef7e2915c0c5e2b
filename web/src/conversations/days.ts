/** Which day a message belongs to, as its reader writes days. */
import type { Message } from '../../../src/protocol/message.ts'
import { useWriting } from '../messages/messages.tsx'

export function useDayOf(_conversationKey: string): (message: Message) => string {
  const writing = useWriting()
  return ({ createdAt }) => writing.day(createdAt)
}
