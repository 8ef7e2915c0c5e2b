/** Finds the live agent sessions that are due for a check, through partial indexes: ended ones cost nothing (SP13). */

import { sql } from 'kysely'
import type { Purpose } from '../../domain/agent-sessions/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { launchEnded } from '../processes/launches.ts'
import { atMost, from, not, present, rowsOf } from '../rows.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { type AgentSessionRow, ended, type Pair } from './agent-sessions.ts'

export interface DueAgentSession extends Pair {
  readonly agentSessionId: string
}

interface Due {
  readonly until: Instant
  readonly terminatingUntil: Instant
  readonly limit: number
}

type Builder = Parameters<QueryBuilder<unknown>>[0]

const which = ['id', 'agent_id', 'project_id'] as const

/** AS6: leaves out those whose process is known to live, so that the row still says when they were last active (NA6). */
const outlived = (db: Builder, p: Due) =>
  from(db, 'agent_sessions', { state: not(ended), expires_at: atMost(p.until) }, 'expires_at')
    .select(which)
    .where((is) =>
      is.not(
        is.exists(
          from(db, 'launches', {
            id: sql.ref('agent_sessions.launch_id'),
            state: not(launchEnded),
          }).select('id'),
        ),
      ),
    )
    .limit(p.limit)

const terminating = (db: Builder, p: Due) =>
  from(
    db,
    'agent_sessions',
    { state: beingEnded, terminating_at: atMost(p.terminatingUntil) },
    'terminating_at',
  )
    .select(which)
    .limit(p.limit)
const beingEnded = sql.lit<AgentSessionRow['state']>('terminating')

/** The allowed time is a setting of the project, so all suspected ones are returned; there are few. */
const suspected = (db: Builder, p: Due) =>
  from(
    db,
    'agent_sessions',
    { state: not(ended), suspected_at: [present, atMost(p.until)] },
    'suspected_at',
  )
    .select(which)
    .limit(p.limit)

/** The oldest of each kind; one due for two reasons appears twice. One statement, because each costs more than its answer. */
export const selectDue = statement<Due>()((db, p) =>
  db
    .selectFrom(outlived(db, p).as('outlived'))
    .selectAll()
    .unionAll(db.selectFrom(terminating(db, p).as('terminating')).selectAll())
    .unionAll(db.selectFrom(suspected(db, p).as('suspected')).selectAll()),
)

/** AS9: open conversations of ended sessions. Few are open, so the search begins with those. */
export const selectLeftOpen = statement<{ limit: number }>()((db, p) =>
  rowsOf(db, 'open_conversations', {})
    .where((is) =>
      is.exists(
        from(db, 'agent_sessions', {
          id: sql.ref('open_conversations.agent_session_id'),
          state: ended,
        }).select('id'),
      ),
    )
    .limit(p.limit),
)

export interface LiveKey extends Pair {
  readonly purpose: Purpose | ''
}

/** Before every one. */
export const firstLive: LiveKey = { agentId: '', projectId: '', purpose: '' }

const selectLiveAfter = statement<LiveKey & { limit: number }>()((db, p) =>
  from(db, 'agent_sessions', { state: not(ended) }, 'agent_id', 'project_id', 'purpose')
    .select(['id', 'agent_id', 'project_id', 'purpose'])
    .where((eb) =>
      eb(
        eb.refTuple('agent_id', 'project_id', 'purpose'),
        '>',
        eb.tuple(p.agentId, p.projectId, p.purpose as Purpose),
      ),
    )
    .limit(p.limit),
)

/** All live ones, page by page in a stable order. */
export async function liveAfter(
  reader: Reader,
  after: LiveKey,
  limit: number,
): Promise<(DueAgentSession & LiveKey)[]> {
  const rows = await reader.all(selectLiveAfter, { ...after, limit })
  return rows.map((row) => ({ ...dueOf(row), purpose: row.purpose }))
}

export const dueOf = (
  row: Pick<AgentSessionRow, 'id' | 'agent_id' | 'project_id'>,
): DueAgentSession => ({
  agentSessionId: row.id,
  agentId: row.agent_id,
  projectId: row.project_id,
})
