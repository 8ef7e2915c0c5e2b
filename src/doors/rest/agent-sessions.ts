/** REST handlers for agent sessions and for reports of process exits. */
import type { agentSessionRoutes } from '../../protocol/agent-sessions/routes.ts'
import { listAgentSessions } from '../../services/agent-sessions/queries.ts'
import { reportProcessExit } from '../../services/flows/processes/report-process-exit.ts'
import { by, type HandlersOf, query } from './handler.ts'

export const agentSessionHandlers: HandlersOf<typeof agentSessionRoutes> = {
  listAgentSessions: query(listAgentSessions, (call) => call.query),
  reportProcessExit: by(reportProcessExit, ({ body, who, deps, receipt }) =>
    deps.agents.reportExit(who, body, receipt),
  ),
}
