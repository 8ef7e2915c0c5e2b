/** Queries about the work of an agent in a project, and which pairs of agent and project have some. */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { above, from, not } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { tasksInProgress } from '../work/tasks.ts'
import type { Pair } from './agent-sessions.ts'

// Counts the messages waiting for an agent in a project up to a bound, so that many cost no more.

/** The count stops here. */
export const maxCounted = 1000

const count = sql<number>`count(*)`.as('count')

const countUnread = statement<Pair & { limit: number }>()((db, p) =>
  db
    .selectFrom(
      from(db, 'unread_messages', { agent_id: p.agentId, project_id: p.projectId })
        .select('seq')
        .limit(p.limit)
        .as('few'),
    )
    .select(count),
)

/** A turn that is repeated without its messages: they were read when it met the limit, or it had none (AG6, CX6). */
const repeated = {
  state: sql.lit<Tables['turns']['state']>('queued'),
  about: sql.lit<Tables['turns']['about']>('chat'),
  not_before: null,
  content: not('[]'),
} as const

const selectRepeatedTurn = statement<Pair>()((db, p) =>
  from(db, 'turns', { agent_id: p.agentId, project_id: p.projectId, ...repeated })
    .select('id')
    .limit(1),
)

export async function unreadOf(reader: Reader, { agentId, projectId }: Pair): Promise<number> {
  const unread =
    (await reader.first(countUnread, { agentId, projectId, limit: maxCounted }))?.count ?? 0
  return unread > 0 || !(await reader.first(selectRepeatedTurn, { agentId, projectId }))
    ? unread
    : 1
}

/**
 * Finds pairs of agent and project with work, among agents that a coordinator can start. Begins with the assignments, so the amount
 * of waiting work does not matter. Whether one is started is decided elsewhere.
 */
export type PairsFilter =
  | { readonly projectId: string }
  | { readonly agentId: string }
  | Record<never, never>

interface Page {
  /** Panels opened earlier no longer count. */
  readonly openedAfter: Instant
  readonly limit: number
}

type Params = Pair & Page

const [agentId, projectId] = [sql.ref<string>('pair.agent_id'), sql.ref<string>('pair.project_id')]
const ofPair = { agent_id: agentId, project_id: projectId }
const inProgress = sql.lit<Tables['tasks']['status']>('in_progress')

const selectPairs = (db: Parameters<QueryBuilder<unknown>>[0], p: Params) =>
  db
    .selectFrom('assignments as pair')
    .innerJoin('agents', 'agents.id', 'pair.agent_id')
    .select(['pair.project_id', 'pair.agent_id'])
    .where('agents.command', 'is not', null)
    .where((eb) =>
      eb.or([
        eb.exists(from(db, 'unread_messages', ofPair).select('seq')),
        eb.exists(from(db, 'turns', { ...ofPair, ...repeated }).select('id')),
        eb.exists(
          from(db, 'pending_purposes', { ...ofPair, created_at: above(p.openedAfter) }).select(
            'created_at',
          ),
        ),
        eb.exists(
          from(db, 'tasks', {
            assigned_to: agentId,
            project_id: projectId,
            status: inProgress,
          }).select('id'),
        ),
        eb.exists(
          tasksInProgress(db)
            .innerJoin('tasks as next', 'next.session_id', 'plan.id')
            .select('next.id')
            .where('plan.project_id', '=', projectId)
            .where('next.assigned_to', '=', agentId)
            .where('next.status', '=', sql.lit<Tables['tasks']['status']>('pending')),
        ),
      ]),
    )
    .orderBy('pair.project_id')
    .orderBy('pair.agent_id')
    .limit(p.limit)

/** After the last one seen. Each form is compiled once, because every event of a project leads here. */
const selectOfProject = statement<Params>()((db, p) =>
  selectPairs(db, p)
    .where('pair.project_id', '=', p.projectId)
    .where('pair.agent_id', '>', p.agentId),
)

const selectOfAgent = statement<Params>()((db, p) =>
  selectPairs(db, p)
    .where('pair.agent_id', '=', p.agentId)
    .where('pair.project_id', '>', p.projectId),
)

const selectAll = statement<Params>()((db, p) =>
  selectPairs(db, p).where((eb) =>
    eb(eb.refTuple('pair.project_id', 'pair.agent_id'), '>', eb.tuple(p.projectId, p.agentId)),
  ),
)

/** `after`: the last one seen. */
export async function pairsWithWork(
  reader: Reader,
  filter: PairsFilter,
  after: Pair | undefined,
  page: Page,
): Promise<Pair[]> {
  const select =
    'projectId' in filter ? selectOfProject : 'agentId' in filter ? selectOfAgent : selectAll
  const rows = await reader.all(select, { ...page, ...(after ?? first), ...filter })
  return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id }))
}

const first: Pair = { projectId: '', agentId: '' }
