/**
 * Whether an agent that is spoken to has to be told something, and what has to be locked for it: the cheap question behind every
 * doorbell. `speak-to-agent` decides again, behind the locks.
 */
import { webKey } from '../domain/conversation/key.ts'
import { newestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { type SpokenLaunch, selectRunningChatTurn } from '../store/queries/chat-turns.ts'
import { defineQuery } from '../store/store.ts'
import { findOpenConversations } from './find-open-conversations.ts'
import { findPendingConversation } from './find-pending-conversation.ts'
import { nextStep } from './next-step.ts'
import type { Spoken } from './speak-to-agent.ts'

export const findSpokenStep = defineQuery({
  name: 'find-spoken-step',
  run: async (reader, launch: SpokenLaunch, context): Promise<Spoken | undefined> => {
    const { launchId, agentId, projectId } = launch
    if (await reader.first(selectRunningChatTurn, { launchId })) return undefined
    const own = await newestOfLaunch(reader, launchId)
    const chat = webKey(projectId, agentId)
    const openConversations = await findOpenConversations.run(reader, { agentId, projectId }, context)
    if (!own || own.state === 'ended') return { ...launch, conversationKey: chat, openConversations }
    const caller = { agentId, projectId, agentSessionId: own.id }
    const { next } = await nextStep(reader, caller, context.now)
    if (next.action === 'wait_for_messages' || next.action === 'wait_for_approval') return undefined
    const conversationKey =
      next.action === 'get_pending_messages' ? await findPendingConversation.run(reader, caller, context) : chat
    return { ...launch, conversationKey: conversationKey ?? chat, openConversations }
  },
})
