/**
 * A chat panel closes (CH4): with the last one the chat does (CH5). Without a name all of them close. With none open and nobody
 * there is nothing to do, and that is fine.
 */
import { seenAtLeaving } from '../domain/chat-panel/lifetime.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { AgentSession } from '../protocol/agent-session.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { deletePanel, deletePanelsOfPair, selectPanels, updateSeen } from '../store/queries/panels.ts'
import { defineUseCase } from '../store/store.ts'
import { checkAssigned } from './check-assigned.ts'
import { closeChat, liveChatOf } from './close-chat.ts'

interface ClosedPanel extends Pair {
  readonly by: string
  readonly panelId?: string | undefined
  /** Its page goes away, and may be back in a moment. */
  readonly soon?: boolean | undefined
}

export const endChat = defineUseCase({
  name: 'end-chat',
  streams: ({ projectId }: ClosedPanel) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, panelId, soon, by }, { now }): Promise<{ agentSession: AgentSession | null }> => {
    await checkAssigned(tx, { projectId, agentId })
    const pair = { project_id: projectId, agent_id: agentId }
    if (panelId === undefined) await tx.write(deletePanelsOfPair, pair)
    else if (soon) await tx.write(updateSeen, { ...pair, panel_id: panelId, seen_at: seenAtLeaving(now) })
    else await tx.write(deletePanel, { ...pair, panel_id: panelId })
    const othersOpen = (await tx.first(selectPanels, { ...pair, limit: 1 })) !== undefined
    if (othersOpen) return { agentSession: await liveChatOf(tx, { projectId, agentId }) }
    return { agentSession: await closeChat(tx, { projectId, agentId }, { by, now }) }
  },
})
