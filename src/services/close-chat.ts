/** Nobody has a chat open any more: an agent session that is active is asked to go, and a wish for one is withdrawn (CH4). */
import { decide } from '../domain/agent-session/lifecycle.ts'
import { webKey } from '../domain/conversation/key.ts'
import type { Instant } from '../domain/instant.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { AgentSession } from '../protocol/agent-session.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  changesOf,
  type Pair,
  selectLiveAgentSession,
  updateAgentSession,
} from '../store/queries/agent-sessions.ts'
import { deletePurpose, selectPurpose } from '../store/queries/purposes.ts'
import { selectOpenElsewhere } from '../store/queries/turns.ts'
import type { Reader, Tx } from '../store/store.ts'

export async function liveChatOf(reader: Reader, { agentId, projectId }: Pair): Promise<AgentSession | null> {
  const row = await reader.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
  return row ? agentSessionOf(agentSessionFrom(row)) : null
}

/** The use case names the project's stream. */
export async function closeChat(
  tx: Tx,
  { projectId, agentId }: Pair,
  { by, now }: { by: string; now: Instant },
): Promise<AgentSession | null> {
  const pair = { agent_id: agentId, project_id: projectId }
  if (await tx.first(selectPurpose, pair)) {
    await tx.write(deletePurpose, pair)
    tx.append(projectStream(projectId), { type: 'chat-not-wanted', data: { agentId, by } })
  }
  const row = await tx.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
  if (!row) return null
  const current = agentSessionFrom(row)
  // Another conversation has work for it: it stays for that, and goes when it is idle.
  if (await tx.first(selectOpenElsewhere, { projectId, agentId, key: webKey(projectId, agentId) })) return agentSessionOf(current)
  const decision = decide(now, current, { type: 'close' })
  if (decision.outcome === 'unchanged') return agentSessionOf(current)
  const agentSession = agentSessionOf(decision.agentSession)
  await tx.write(updateAgentSession, changesOf(decision.agentSession))
  tx.append(projectStream(projectId), { type: 'agent-session-terminating', data: { agentSession } })
  return agentSession
}
