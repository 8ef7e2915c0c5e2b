/** Agent sessions, and what coordinators report about the processes that hold them. */
import type { agentSessionRoutes } from '../../../protocol/routes/agent-sessions.ts'
import { listAgentSessions } from '../../../services/list-agent-sessions.ts'
import { type HandlersOf, query } from '../handler.ts'

export const agentSessionHandlers: HandlersOf<typeof agentSessionRoutes> = {
  listAgentSessions: query(listAgentSessions, (call) => call.query),
  reportProcessExit: ({ body, who, doors, receipt }) => doors.agents.reportExit(who, body, receipt),
}
