/** Sends a message from one agent to another of its project (CV10, `send_message`). */
import { agentKey } from '../../domain/conversations/key.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import { defineUseCase } from '../../store/store.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { noSuchAgent } from '../refusals.ts'
import { postToAgent, runOnce } from './agent-conversation.ts'
import { type ContextCaller, ownConversation } from './own-conversation.ts'

interface SentMessage extends ContextCaller {
  readonly toAgentId: string
  readonly content: string
  readonly clientId?: string | undefined
}

export const sendMessage = defineUseCase({
  name: 'send-message',
  streams: ({ agentId, toAgentId, projectId }: SentMessage) => [
    conversationStream(agentKey(agentId, toAgentId)),
    projectStream(projectId),
  ],
  run: (tx, input, context): Promise<{ messageId: string; seq: number }> => {
    const call = { ...input, operation: 'send-message', content: JSON.stringify([input.toAgentId, input.content]) }
    return runOnce(tx, call, context.now, async () => {
      await liveAgentSession(tx, input)
      if (input.toAgentId === input.agentId) throw noSuchAgent(input.toAgentId)
      await checkAssigned(tx, { projectId: input.projectId, agentId: input.toAgentId })
      const { toAgentId, content } = input
      const { key: originKey } = await ownConversation(tx, input)
      const { id, seq } = await postToAgent(tx, input, { toAgentId, content, originKey }, context)
      return { messageId: id, seq }
    })
  },
})
