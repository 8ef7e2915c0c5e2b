/** CX9: turns that run in shared folders, and turns that wait for a folder. */
import { sql } from 'kysely'
import { statement } from '../statement.ts'
import { queued, running, type TurnRow } from './turns.ts'

/** Running turns of a project that may change files. */
export const selectRunningAt = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select(['conversation_key', 'origin_key', 'content', 'lane'])
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
