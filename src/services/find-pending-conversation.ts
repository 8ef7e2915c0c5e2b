/**
 * The conversation whose unread messages an agent session is to be handed next; undefined when there are none. Asked before
 * `hand-over-messages`, which has to know the stream it locks.
 */
import { handOver } from '../domain/conversation/unread.ts'
import { selectLiveAgentSession } from '../store/queries/agent-sessions.ts'
import { type Receiver, waitingFor } from '../store/queries/unread.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { liveAgentSession } from './live-agent-session.ts'

export const findPendingConversation = defineQuery({
  name: 'find-pending-conversation',
  run: async (reader, caller: Receiver): Promise<string | undefined> => {
    if (!(await servesChat(reader, caller))) return undefined
    return handOver(await waitingFor(reader, caller), caller.agentSessionId)?.conversationKey
  },
})

/** Chat belongs to the chat session; one that works on a task is handed messages only while there is none (AS3). */
export async function servesChat(reader: Reader, caller: Receiver): Promise<boolean> {
  const { purpose, agentId, projectId } = await liveAgentSession(reader, caller)
  return purpose === 'chat' || !(await reader.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' }))
}
