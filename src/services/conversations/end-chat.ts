/** Closes a chat panel, or all panels when none is named (CH4). Closing the last one closes the chat (CH5). */
import { decideAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { webKey } from '../../domain/conversations/key.ts'
import { seenAtLeaving } from '../../domain/conversations/panel-lifetime.ts'
import type { Instant } from '../../domain/instant.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  changesOf,
  type Pair,
  selectLiveAgentSession,
  updateAgentSession,
} from '../../store/agent-sessions/agent-sessions.ts'
import { deletePanelsOfPair, selectPanels, selectPurpose, updateSeen } from '../../store/conversations/panels.ts'
import { defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectOpenElsewhere } from '../../store/turns/turns.ts'
import { checkAssigned } from '../projects/project-record.ts'

async function liveChatOf(reader: Reader, { agentId, projectId }: Pair): Promise<AgentSession | null> {
  const row = await reader.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
  return row ? agentSessionOf(agentSessionFrom(row)) : null
}

/**
 * Closes a chat: asks its active agent session to end and withdraws a pending request for one (CH4). The calling use case locks
 * the project's stream.
 */
export async function closeChat(
  tx: Tx,
  { projectId, agentId }: Pair,
  { by, now }: { by: string; now: Instant },
): Promise<AgentSession | null> {
  const pair = { agent_id: agentId, project_id: projectId }
  if (await tx.first(selectPurpose, pair)) {
    await tx.delete('pending_purposes', pair)
    tx.append(projectStream(projectId), { type: 'chat-not-wanted', data: { agentId, by } })
  }
  const row = await tx.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
  if (!row) return null
  const current = agentSessionFrom(row)
  // Another conversation has work for the agent session. It stays and ends when idle.
  if (await tx.first(selectOpenElsewhere, { projectId, agentId, key: webKey(projectId, agentId) })) return agentSessionOf(current)
  const decision = decideAgentSession(now, current, { type: 'close' })
  if (decision.outcome === 'unchanged') return agentSessionOf(current)
  const agentSession = agentSessionOf(decision.agentSession)
  await tx.write(updateAgentSession, changesOf(decision.agentSession))
  tx.append(projectStream(projectId), { type: 'agent-session-terminating', data: { agentSession } })
  return agentSession
}

interface ClosedPanel extends Pair {
  readonly by: string
  readonly panelId?: string | undefined
  /** The page is unloading and may come back at once. */
  readonly soon?: boolean | undefined
}

export const endChat = defineUseCase('end-chat', {
  streams: ({ projectId }: ClosedPanel) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, panelId, soon, by }, { now }): Promise<{ agentSession: AgentSession | null }> => {
    await checkAssigned(tx, { projectId, agentId })
    const pair = { project_id: projectId, agent_id: agentId }
    if (panelId === undefined) await tx.write(deletePanelsOfPair, pair)
    else if (soon) await tx.write(updateSeen, { ...pair, panel_id: panelId, seen_at: seenAtLeaving(now) })
    else await tx.delete('panels', { ...pair, panel_id: panelId })
    const othersOpen = (await tx.first(selectPanels, { ...pair, limit: 1 })) !== undefined
    if (othersOpen) return { agentSession: await liveChatOf(tx, { projectId, agentId }) }
    return { agentSession: await closeChat(tx, { projectId, agentId }, { by, now }) }
  },
})
