/**
 * Writes agent sessions: one is added, and its state changed, in this file alone (HS27). What
 * becomes of it is decided in domain/agent-sessions/lifecycle.ts.
 */
import type { AgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { type AgentSessionRow, changesOf } from '../../store/agent-sessions/agent-sessions.ts'
import type { Tx } from '../../store/store.ts'

export const addAgentSession = (
  tx: Tx,
  agentSession: AgentSession,
  row: Pick<AgentSessionRow, 'agent_id' | 'project_id' | 'lane' | 'launch_id' | 'token_hash'>,
): Promise<void> =>
  tx.insert('agent_sessions', {
    ...changesOf(agentSession),
    ...row,
    purpose: agentSession.purpose,
    created_at: agentSession.createdAt,
    resumed_work_session_id: null,
    context_id: null,
  })

export const moveAgentSession = (tx: Tx, agentSession: AgentSession): Promise<void> =>
  tx.update('agent_sessions', changesOf(agentSession))
