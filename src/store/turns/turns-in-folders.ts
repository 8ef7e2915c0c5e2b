/** CX9: turns that run in shared folders, and turns that wait for a folder. */
import { sql } from 'kysely'
import { statement } from '../statement.ts'
import { open, queued, running, type TurnRow } from './turns.ts'

/** Running turns of a project that may change files. */
export const selectRunningAt = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select(['conversation_key', 'origin_key', 'content'])
    .where('project_id', '=', p.projectId)
    .where('state', '=', running)
    .where('about', '<>', sql.lit<TurnRow['about']>('summary'))
    .orderBy('started_at')
    .orderBy('id'),
)

/** The task of an agent session that waits for the folder (CX9). */
export const selectWaitingTask = statement<{
  agentId: string
  projectId: string
  agentSessionId: string
}>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('state', '=', queued)
    .where('about', '=', sql.lit<TurnRow['about']>('task'))
    .where('agent_session_id', '=', p.agentSessionId)
    .limit(1),
)

/** Awake agents in roles with waiting turns. */
export const selectWaitingInRoles = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .innerJoin('role_agents', 'role_agents.id', 'turns.role_agent_id')
    .select('role_agents.id')
    .distinct()
    .where('turns.role_agent_id', 'is not', null)
    .where('turns.state', 'in', open)
    .where('turns.state', '=', queued)
    .where('turns.not_before', 'is', null)
    .where('role_agents.state', '=', sql.lit('ACTIVE'))
    .where('role_agents.asleep_at', 'is', null)
    .where('role_agents.terminating_at', 'is', null)
    .orderBy('role_agents.id')
    .limit(p.limit),
)
