/**
 * The chat panel closes (CH4): an agent session that is active is asked to go, and a wish for one is withdrawn. With neither
 * there is nothing to do, and that is fine.
 */
import { decide } from '../domain/agent-session/lifecycle.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { AgentSession } from '../protocol/agent-session.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  changesOf,
  selectLiveAgentSession,
  updateAgentSession,
} from '../store/queries/agent-sessions.ts'
import { deletePurpose, selectPurpose } from '../store/queries/purposes.ts'
import { defineUseCase } from '../store/store.ts'
import { checkAssigned } from './check-assigned.ts'

export const endChat = defineUseCase({
  name: 'end-chat',
  streams: ({ projectId }: { projectId: string; agentId: string; by: string }) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, by }, { now }): Promise<{ agentSession: AgentSession | null }> => {
    await checkAssigned(tx, { projectId, agentId })
    const pair = { agent_id: agentId, project_id: projectId }
    if (await tx.first(selectPurpose, pair)) {
      await tx.write(deletePurpose, pair)
      tx.append(projectStream(projectId), { type: 'chat-not-wanted', data: { agentId, by } })
    }
    const row = await tx.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
    if (!row) return { agentSession: null }
    const current = agentSessionFrom(row)
    const decision = decide(now, current, { type: 'close' })
    if (decision.outcome === 'unchanged') return { agentSession: agentSessionOf(current) }
    const agentSession = agentSessionOf(decision.agentSession)
    await tx.write(updateAgentSession, changesOf(decision.agentSession))
    tx.append(projectStream(projectId), { type: 'agent-session-terminating', data: { agentSession } })
    return { agentSession }
  },
})
