/**
 * Which live agent sessions the sweeper has to look at, found through indexes that hold live ones only: however many have
 * ended, a look costs the same (SP13). Whether one ends is decided elsewhere.
 */
import { sql } from 'kysely'
import type { Purpose } from '../../domain/agent-sessions/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { launchEnded } from '../processes/launches.ts'
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

const which = (db: Builder) => db.selectFrom('agent_sessions').select(['id', 'agent_id', 'project_id'])

/**
 * AS6: those whose process is known to live are left out here, and not given more time, so that what is stored goes on saying when
 * they were last heard of (NA6).
 */
const outlived = (db: Builder, p: Due) =>
  which(db)
    .where('state', '<>', ended)
    .where('expires_at', '<=', p.until)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('launches')
            .select('launches.id')
            .whereRef('launches.id', '=', 'agent_sessions.launch_id')
            .where('launches.state', '<>', launchEnded),
        ),
      ),
    )
    .orderBy('expires_at')
    .limit(p.limit)

const terminating = (db: Builder, p: Due) =>
  which(db)
    .where('state', '=', sql.lit<AgentSessionRow['state']>('terminating'))
    .where('terminating_at', '<=', p.terminatingUntil)
    .orderBy('terminating_at')
    .limit(p.limit)

/** How long each may be suspected is its project's choice, so all that are come up; there are never many. */
const suspected = (db: Builder, p: Due) =>
  which(db)
    .where('state', '<>', ended)
    .where('suspected_at', 'is not', null)
    .where('suspected_at', '<=', p.until)
    .orderBy('suspected_at')
    .limit(p.limit)

/** So many of each kind, the oldest first; one that is due for two reasons comes twice. Together, because each statement costs more than its answer. */
export const selectDue = statement<Due>()((db, p) =>
  db
    .selectFrom(outlived(db, p).as('outlived'))
    .selectAll()
    .unionAll(db.selectFrom(terminating(db, p).as('terminating')).selectAll())
    .unionAll(db.selectFrom(suspected(db, p).as('suspected')).selectAll()),
)

/** AS9: written in by a session that has ended, and not closed with it. Asked from this side, because few are open at all. */
export const selectLeftOpen = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('open_conversations')
    .selectAll()
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('agent_sessions')
          .select('agent_sessions.id')
          .whereRef('agent_sessions.id', '=', 'open_conversations.agent_session_id')
          .where('agent_sessions.state', '=', ended),
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
  db
    .selectFrom('agent_sessions')
    .select(['id', 'agent_id', 'project_id', 'purpose'])
    .where('state', '<>', ended)
    .where((eb) =>
      eb(eb.refTuple('agent_id', 'project_id', 'purpose'), '>', eb.tuple(p.agentId, p.projectId, p.purpose as Purpose)),
    )
    .orderBy('agent_id')
    .orderBy('project_id')
    .orderBy('purpose')
    .limit(p.limit),
)

/** All live ones, a page at a time, in an order that nothing which happens to them changes. */
export async function liveAfter(reader: Reader, after: LiveKey, limit: number): Promise<(DueAgentSession & LiveKey)[]> {
  const rows = await reader.all(selectLiveAfter, { ...after, limit })
  return rows.map((row) => ({ ...dueOf(row), purpose: row.purpose }))
}

export const dueOf = (row: Pick<AgentSessionRow, 'id' | 'agent_id' | 'project_id'>): DueAgentSession => ({
  agentSessionId: row.id,
  agentId: row.agent_id,
  projectId: row.project_id,
})
