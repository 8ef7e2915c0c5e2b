/**
 * The agent session that a call came with, read again inside the transaction. One of another agent or project is not there
 * (SE3); one that has ended says why (AS8).
 */
import { type LiveAgentSession, refusalOn } from '../domain/agent-session/lifecycle.ts'
import { Refusal } from '../domain/errors.ts'
import { type AgentSessionRow, agentSessionFrom, selectAgentSession } from '../store/queries/agent-sessions.ts'
import type { Receiver } from '../store/queries/unread.ts'
import type { Reader } from '../store/store.ts'
import { roleAgentSession } from './role-agent-session.ts'

export async function liveAgentSession(reader: Reader, caller: Receiver): Promise<LiveAgentSession> {
  const row = await reader.first(selectAgentSession, { id: caller.agentSessionId })
  const inRole = row ? undefined : await roleAgentSession(reader, caller.agentSessionId)
  if (inRole?.agentId === caller.agentId && inRole.projectId === caller.projectId) return inRole
  const agentSession = agentSessionFrom(checkedOwn(row, caller))
  if (agentSession.state !== 'ended') return agentSession
  const refusal = refusalOn(agentSession)
  throw new Refusal('session_ended', undefined, { reason: refusal?.reason })
}

/** Also when it has ended. */
export async function ownRow(reader: Reader, { agentSessionId, agentId, projectId }: Receiver): Promise<AgentSessionRow> {
  return checkedOwn(await reader.first(selectAgentSession, { id: agentSessionId }), { agentId, projectId })
}

export function checkedOwn<Row extends Pick<AgentSessionRow, 'agent_id' | 'project_id'>>(
  row: Row | undefined,
  { agentId, projectId }: Pick<Receiver, 'agentId' | 'projectId'>,
): Row {
  if (!row || row.agent_id !== agentId || row.project_id !== projectId) throw noSuchAgentSession()
  return row
}

export const noSuchAgentSession = (): Refusal => new Refusal('not_found', 'There is no such agent session')
