/** The work sessions that an agent session drives, and what is left to do in them (AS9). */
import { sql } from 'kysely'
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

export const countUnfinished = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('tasks')
    .select(sql<number>`count(*)`.as('count'))
    .where('session_id', '=', p.workSessionId)
    .where('status', 'not in', ['completed', 'failed']),
)
