/**
 * Has the agent of a session come before its next message does: somebody has begun to write (SN24).
 * The request lapses like that of an opened panel (CH1); what nobody uses goes when it is idle.
 */
import { projectStream } from '../../../domain/stream-name.ts'
import { type Post, selectLiveAgentSession } from '../../../store/agent-sessions/agent-sessions.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import { defineUseCase } from '../../../store/store.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { launchInProgress, requestAgentSession } from './start-chat.ts'

export const warmThread = defineUseCase('warm-thread', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  /** Answers with the post whose process is wanted; null: one is there, or comes. */
  run: async (tx, { key, by }, { now }): Promise<{ post: Post | null }> => {
    const { project_id: projectId, agent_id: agentId } = await existingConversation(tx, key)
    const lane = agentId === null ? '' : await laneOf(tx, key, agentId)
    // The agent's first session has a panel that calls it.
    if (projectId === null || agentId === null || lane === '') return { post: null }
    await checkAssigned(tx, { projectId, agentId })
    tx.lock(projectStream(projectId))
    const post = { projectId, agentId, lane }
    const live = await tx.first(selectLiveAgentSession, { ...post, purpose: 'chat' })
    if (live?.state === 'active' || (await launchInProgress(tx, post))) return { post: null }
    await requestAgentSession(tx, { ...post, by }, now)
    return { post }
  },
})
