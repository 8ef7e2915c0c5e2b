/** AG6 in chats: the limit is over. Looked at too early, or twice, it changes nothing. */
import { conversationStream, projectStream } from '../domain/stream/name.ts'
import { selectChatLimit } from '../store/queries/chat-limits.ts'
import { defineUseCase } from '../store/store.ts'
import { liftChatLimit } from './chat-limit-record.ts'

interface Input {
  readonly conversationKey: string
  readonly projectId: string
}

export const endChatLimit = defineUseCase({
  name: 'end-chat-limit',
  streams: ({ conversationKey, projectId }: Input) => [conversationStream(conversationKey), projectStream(projectId)],
  run: async (tx, { conversationKey: key }, context): Promise<{ ended: boolean }> => {
    const row = await tx.first(selectChatLimit, { key })
    if (!row || row.limited_until === null || row.limited_until > context.now) return { ended: false }
    await liftChatLimit(tx, row, context)
    return { ended: true }
  },
})
