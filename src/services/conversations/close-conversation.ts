/**
 * Closes a conversation between agents when a session that wrote in it has ended (AS9, CV10). Does nothing if the session lives
 * or the conversation is closed. The next message reopens it.
 */
import { conversationStream } from '../../domain/stream-name.ts'
import { defineUseCase } from '../../store/store.ts'
import { changeConversation } from './conversation-record.ts'

export const closeConversation = defineUseCase('close-conversation', {
  streams: ({ conversationKey }: { conversationKey: string; agentSessionId: string }) => [conversationStream(conversationKey)],
  run: async (tx, { conversationKey: key, agentSessionId }, { now }): Promise<{ closed: boolean }> => {
    const written = await tx.row('open_conversations', { agent_session_id: agentSessionId, conversation_key: key })
    const agentSession = await tx.row('agent_sessions', { id: agentSessionId })
    const row = await tx.row('conversations', { key })
    if (!written || agentSession?.state !== 'ended' || row?.state !== 'open') return { closed: false }
    await tx.delete('open_conversations', { conversation_key: key })
    await changeConversation(tx, row, { state: 'closed' }, now)
    tx.append(conversationStream(key), { type: 'conversation-closed', data: { by: agentSession.agent_id } })
    return { closed: true }
  },
})
