/** The agent sessions that a launch has signed in for: at most one that lives, and those before it. */
import type { AgentSession } from '../../domain/agent-session/lifecycle.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { agentSessionFrom } from './agent-sessions.ts'

export const selectNewestOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('launch_id', '=', p.launchId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

export async function newestOfLaunch(reader: Reader, launchId: string): Promise<AgentSession | undefined> {
  const row = await reader.first(selectNewestOfLaunch, { launchId })
  return row && agentSessionFrom(row)
}
