/**
 * An agent session takes up work in a work session (WK4). It drives it from now on, and it ends with it (AS9), unless another
 * live agent session does already.
 */
import { selectAgentSession } from '../store/queries/agent-sessions.ts'
import { selectWorkSession, updateWorkSession } from '../store/queries/work-sessions.ts'
import type { Tx } from '../store/store.ts'

export async function driveWorkSession(tx: Tx, workSessionId: string, agentSessionId: string): Promise<void> {
  const row = await tx.first(selectWorkSession, { id: workSessionId })
  if (!row || row.ended_at !== null || row.owner_agent_session_id === agentSessionId) return
  const owner = row.owner_agent_session_id && (await tx.first(selectAgentSession, { id: row.owner_agent_session_id }))
  if (owner && owner.state !== 'ended') return
  await tx.write(updateWorkSession, { ...row, owner_agent_session_id: agentSessionId })
}
