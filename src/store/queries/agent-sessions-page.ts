/** The list of agent sessions, newest first, by whom and where and how they stand. */
import type { AgentSession } from '../../protocol/agent-session.ts'
import type { Reader } from '../store.ts'
import { type AgentSessionRow, agentSessionFrom, agentSessionOf, ended } from './agent-sessions.ts'
import type { PageParams } from './page-cursor.ts'

export interface AgentSessionsFilter {
  readonly projectId?: string | undefined
  readonly agentId?: string | undefined
  readonly state?: AgentSession['state'] | undefined
}

export async function agentSessionsPage(
  reader: Reader,
  { projectId, agentId, state }: AgentSessionsFilter,
  { createdAt, id, limit }: PageParams,
): Promise<AgentSession[]> {
  const rows = await reader.query<AgentSessionRow>((db) => {
    let page = db
      .selectFrom('agent_sessions')
      .selectAll()
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(createdAt, id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    if (projectId !== undefined) page = page.where('project_id', '=', projectId)
    if (agentId !== undefined) page = page.where('agent_id', '=', agentId)
    if (state !== undefined) page = page.where('state', '=', state)
    // Said beside it, so that the indexes of the living are used: few live among many that have ended.
    if (state !== undefined && state !== 'ended') page = page.where('state', '<>', ended)
    return page
  })
  return rows.map((row) => agentSessionOf(agentSessionFrom(row)))
}
