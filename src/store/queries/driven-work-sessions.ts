/** The work sessions that an agent session drives (AS9). */
import { statement } from '../statement.ts'

/** Running ones alone. */
export const selectDrivenBy = statement<{ projectId: string; agentSessionId: string }>()((db, p) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('ended_at', 'is', null)
    .where('owner_agent_session_id', '=', p.agentSessionId)
    .orderBy('id'),
)
