/**
 * Queries about the work of an agent in a project, and which pairs of agent and project have some.
 */
import { type Expression, sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { tasksInProgress } from '../work/tasks.ts'
import type { Pair } from './agent-sessions.ts'

// Counts the messages waiting for an agent in a project up to a bound, so that many cost no more.

/** The count stops here. */
export const maxCounted = 1000

type Db = Parameters<QueryBuilder<unknown>>[0]

const count = sql<number>`count(*)`.as('count')

const countUnread = statement<Pair & { limit: number }>()((db, p) =>
  db
    .selectFrom(
      db
        .selectFrom('unread_messages')
        .select('seq')
        .where('agent_id', '=', p.agentId)
        .where('project_id', '=', p.projectId)
        .limit(p.limit)
        .as('few'),
    )
    .select(count),
)

/**
 * A turn that is repeated without its messages: they were read when it met the limit, or it had
 * none (AG6, CX6).
 */
const repeatedTurns = (
  db: Db,
  agentId: Expression<string> | string,
  projectId: Expression<string> | string,
) =>
  db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit<Tables['turns']['state']>('queued'))
    .where('about', '=', sql.lit<Tables['turns']['about']>('chat'))
    .where('not_before', 'is', null)
    .where('content', '<>', '[]')

const selectRepeatedTurn = statement<Pair>()((db, p) =>
  repeatedTurns(db, p.agentId, p.projectId).limit(1),
)

export async function unreadOf(reader: Reader, { agentId, projectId }: Pair): Promise<number> {
  const unread =
    (await reader.first(countUnread, { agentId, projectId, limit: maxCounted }))?.count ?? 0
  return unread > 0 || !(await reader.first(selectRepeatedTurn, { agentId, projectId }))
    ? unread
    : 1
}

/**
 * Finds pairs of agent and project with work, among agents that a coordinator can start. Begins
 * with the assignments, so the amount of waiting work does not matter. Whether one is started is
 * decided elsewhere.
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
const inProgress = sql.lit<Tables['tasks']['status']>('in_progress')

const selectPairs = (db: Db, p: Params) =>
  db
    .selectFrom('assignments as pair')
    .innerJoin('agents', 'agents.id', 'pair.agent_id')
    .select(['pair.project_id', 'pair.agent_id'])
    .where('agents.command', 'is not', null)
    .where((eb) =>
      eb.or([
        eb.exists(
          db
            .selectFrom('unread_messages')
            .select('seq')
            .where('agent_id', '=', agentId)
            .where('project_id', '=', projectId),
        ),
        eb.exists(repeatedTurns(db, agentId, projectId)),
        eb.exists(
          db
            .selectFrom('pending_purposes')
            .select('created_at')
            .where('agent_id', '=', agentId)
            .where('project_id', '=', projectId)
            .where('created_at', '>', p.openedAfter),
        ),
        eb.exists(
          db
            .selectFrom('tasks')
            .select('id')
            .where('assigned_to', '=', agentId)
            .where('project_id', '=', projectId)
            .where('status', '=', inProgress),
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

/**
 * After the last one seen. Each form is compiled once, because every event of a project leads here.
 */
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
  const others = 'agentId' in filter ? selectOfAgent : selectAll
  const select = 'projectId' in filter ? selectOfProject : others
  const rows = await reader.all(select, { ...page, ...(after ?? first), ...filter })
  return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id }))
}

const first: Pair = { projectId: '', agentId: '' }
