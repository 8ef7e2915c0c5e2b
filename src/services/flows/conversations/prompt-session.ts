/**
 * SN13: sends a prompt to the agent of a session, by its key alone. Every door that has a key sends
 * here; a prompt of the same client id is taken once.
 */
import type { Message } from '../../../protocol/conversations/message.ts'
import { defineUseCase } from '../../../store/store.ts'
import { streamOfKey } from '../../conversations/conversation-record.ts'
import { turnOfMessage } from '../../turns/turn-of-message.ts'
import { type SaidMessage, sayInConversation } from '../messages/post-message.ts'

type Prompt = Omit<SaidMessage, 'projectId' | 'toAgentId'>

export interface TakenPrompt {
  readonly message: Message
  /** The turn that it waits for or is in; null: it is over, see `readTurnOfMessage`. */
  readonly turnId: string | null
}

export const promptSession = defineUseCase('prompt-session', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Prompt) => [streamOfKey(key)],
  lockCacheKey: ({ key }) => key,
  run: async (tx, prompt, context): Promise<TakenPrompt> => {
    const message = await sayInConversation.run(tx, prompt, context)
    const { turn } = await turnOfMessage(tx, prompt.key, message.seq)
    return { message, turnId: turn?.id ?? null }
  },
})
