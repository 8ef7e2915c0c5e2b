/**
 * Finds the live agent sessions that are due for a check, through partial indexes: ended ones cost
 * nothing (SP13).
 */

import { sql } from 'kysely'
import type { Purpose } from '../../domain/agent-sessions/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { launchEnded } from '../processes/launches.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { type AgentSessionRow, ended, type Pair, type Post } from './agent-sessions.ts'

export interface DueAgentSession extends Pair {
  readonly agentSessionId: string
}

interface Due {
  readonly until: Instant
  readonly terminatingUntil: Instant
  readonly limit: number
}

type Builder = Parameters<QueryBuilder<unknown>>[0]

const dueColumns = ['id', 'agent_id', 'project_id'] as const

/**
 * AS6: leaves out those whose process is known to live, so that the row still says when they were
 * last active (NA6).
 */
const outlived = (db: Builder, p: Due) =>
  db
    .selectFrom('agent_sessions')
    .select(dueColumns)
    .where('state', '<>', ended)
    .where('expires_at', '<=', p.until)
    .where((is) =>
      is.not(
        is.exists(
          db
            .selectFrom('launches')
            .select('id')
            .where('id', '=', sql.ref<string>('agent_sessions.launch_id'))
            .where('state', '<>', launchEnded),
        ),
      ),
    )
    .orderBy('expires_at')
    .limit(p.limit)

const terminating = (db: Builder, p: Due) =>
  db
    .selectFrom('agent_sessions')
    .select(dueColumns)
    .where('state', '=', beingEnded)
    .where('terminating_at', '<=', p.terminatingUntil)
    .orderBy('terminating_at')
    .limit(p.limit)
const beingEnded = sql.lit<AgentSessionRow['state']>('terminating')

/**
 * The allowed time is a setting of the project, so all suspected ones are returned; there are few.
 */
const suspected = (db: Builder, p: Due) =>
  db
    .selectFrom('agent_sessions')
    .select(dueColumns)
    .where('state', '<>', ended)
    .where('suspected_at', 'is not', null)
    .where('suspected_at', '<=', p.until)
    .orderBy('suspected_at')
    .limit(p.limit)

/**
 * The oldest of each kind; one due for two reasons appears twice. One statement, because each costs
 * more than its answer.
 */
export const selectDue = statement<Due>()((db, p) =>
  db
    .selectFrom(outlived(db, p).as('outlived'))
    .selectAll()
    .unionAll(db.selectFrom(terminating(db, p).as('terminating')).selectAll())
    .unionAll(db.selectFrom(suspected(db, p).as('suspected')).selectAll()),
)

/** AS9: open conversations of ended sessions. Few are open, so the search begins with those. */
export const selectLeftOpen = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('open_conversations')
    .selectAll()
    .where((is) =>
      is.exists(
        db
          .selectFrom('agent_sessions')
          .select('id')
          .where('id', '=', sql.ref<string>('open_conversations.agent_session_id'))
          .where('state', '=', ended),
      ),
    )
    .limit(p.limit),
)

export interface LiveKey extends Post {
  readonly purpose: Purpose | ''
}

/** Before every one. */
export const firstLive: LiveKey = { agentId: '', projectId: '', purpose: '', lane: '' }

const selectLiveAfter = statement<LiveKey & { limit: number }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .select(['id', 'agent_id', 'project_id', 'purpose', 'lane'])
    .where('state', '<>', ended)
    .where((eb) =>
      eb(
        eb.refTuple('agent_id', 'project_id', 'purpose', 'lane'),
        '>',
        eb.tuple(p.agentId, p.projectId, p.purpose as Purpose, p.lane),
      ),
    )
    .orderBy('agent_id')
    .orderBy('project_id')
    .orderBy('purpose')
    .orderBy('lane')
    .limit(p.limit),
)

/** All live ones, page by page in a stable order. */
export async function liveAfter(
  reader: Reader,
  after: LiveKey,
  limit: number,
): Promise<(DueAgentSession & LiveKey)[]> {
  const rows = await reader.all(selectLiveAfter, { ...after, limit })
  return rows.map((row) => ({ ...dueOf(row), purpose: row.purpose, lane: row.lane }))
}

export const dueOf = (
  row: Pick<AgentSessionRow, 'id' | 'agent_id' | 'project_id'>,
): DueAgentSession => ({
  agentSessionId: row.id,
  agentId: row.agent_id,
  projectId: row.project_id,
})
