/**
 * Queries about the work of an agent in a project, and which pairs of agent and project have some.
 */
import { type Expression, sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { tasksInProgress } from '../work/tasks.ts'
import type { Post } from './agent-sessions.ts'

// Counts the messages waiting for an agent in a project up to a bound, so that many cost no more.

/** The count stops here. */
export const maxCounted = 1000

type Db = Parameters<QueryBuilder<unknown>>[0]

const count = sql<number>`count(*)`.as('count')

/** The unanswered messages that the processes of a post are to answer. */
export const unreadIn = (db: Db, { agentId, projectId, lane }: Post) =>
  db
    .selectFrom('unread_messages')
    .innerJoin('turns', 'turns.id', 'unread_messages.turn_id')
    .select('unread_messages.seq')
    .where('unread_messages.agent_id', '=', agentId)
    .where('unread_messages.project_id', '=', projectId)
    .where('turns.lane', '=', lane)
    .where('turns.paused', 'is', null)

const countUnread = statement<Post & { limit: number }>()((db, p) =>
  db.selectFrom(unreadIn(db, p).limit(p.limit).as('few')).select(count),
)

/**
 * A turn that is repeated without its messages: they were read when it met the limit, or it had
 * none (AG6, CX6).
 */
const repeatedTurns = (
  db: Db,
  agentId: Expression<string> | string,
  projectId: Expression<string> | string,
  lane: string,
) =>
  db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('project_id', '=', projectId)
    .where('lane', '=', lane)
    .where('state', '=', sql.lit<Tables['turns']['state']>('queued'))
    .where('about', '=', sql.lit<Tables['turns']['about']>('chat'))
    .where('not_before', 'is', null)
    .where('paused', 'is', null)
    .where('content', '<>', '[]')

const selectRepeatedTurn = statement<Post>()((db, p) =>
  repeatedTurns(db, p.agentId, p.projectId, p.lane).limit(1),
)

export async function unreadOf(
  reader: Reader,
  { agentId, projectId, lane }: Post,
): Promise<number> {
  const post = { agentId, projectId, lane }
  const unread = (await reader.first(countUnread, { ...post, limit: maxCounted }))?.count ?? 0
  return unread > 0 || !(await reader.first(selectRepeatedTurn, post)) ? unread : 1
}

/**
 * Finds posts with work, among agents that a coordinator can start: the common processes of agents
 * in projects, beginning with the assignments, so that the amount of waiting work does not matter;
 * then the threads that wait for a process. Whether one is started is decided elsewhere.
 */
export type PostsFilter =
  | { readonly projectId: string }
  | { readonly agentId: string }
  | Record<never, never>

interface Page {
  /** Panels opened earlier no longer count. */
  readonly openedAfter: Instant
  readonly limit: number
}

type Params = Post & Page

const [agentId, projectId] = [sql.ref<string>('pair.agent_id'), sql.ref<string>('pair.project_id')]
const common = sql.lit('')
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
            .innerJoin('turns', 'turns.id', 'unread_messages.turn_id')
            .select('unread_messages.seq')
            .where('unread_messages.agent_id', '=', agentId)
            .where('unread_messages.project_id', '=', projectId)
            .where('turns.lane', '=', common)
            .where('turns.paused', 'is', null),
        ),
        eb.exists(repeatedTurns(db, agentId, projectId, '')),
        eb.exists(
          db
            .selectFrom('pending_purposes')
            .select('created_at')
            .where('agent_id', '=', agentId)
            .where('project_id', '=', projectId)
            .where('lane', '=', common)
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

/** Threads for which a turn waits, and that have no process. */
const selectLanes = (db: Db, p: Params) =>
  db
    .selectFrom('turns')
    .select(['turns.project_id', 'turns.agent_id', 'turns.lane'])
    .distinct()
    .where('turns.lane', '<>', common)
    .where('turns.state', '=', sql.lit<Tables['turns']['state']>('queued'))
    .where('turns.about', '=', sql.lit<Tables['turns']['about']>('chat'))
    .where('turns.not_before', 'is', null)
    .where('turns.paused', 'is', null)
    .where((eb) =>
      eb.exists(
        db
          .selectFrom('assignments')
          .innerJoin('agents', 'agents.id', 'assignments.agent_id')
          .select('agents.id')
          .where('assignments.project_id', '=', sql.ref<string>('turns.project_id'))
          .where('assignments.agent_id', '=', sql.ref<string>('turns.agent_id'))
          .where('agents.command', 'is not', null),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          db
            .selectFrom('launches')
            .select('id')
            .where('agent_id', '=', sql.ref<string>('turns.agent_id'))
            .where('project_id', '=', sql.ref<string>('turns.project_id'))
            .where('lane', '=', sql.ref<string>('turns.lane'))
            .where('state', '<>', sql.lit<Tables['launches']['state']>('ended'))
            .where('state', '<>', sql.lit<Tables['launches']['state']>('held')),
        ),
      ),
    )
    .where((eb) =>
      eb(
        eb.refTuple('turns.project_id', 'turns.agent_id', 'turns.lane'),
        '>',
        eb.tuple(p.projectId, p.agentId, p.lane),
      ),
    )
    .orderBy('turns.project_id')
    .orderBy('turns.agent_id')
    .orderBy('turns.lane')
    .limit(p.limit)

const selectLanesOfProject = statement<Params & { wanted: string }>()((db, p) =>
  selectLanes(db, p).where('turns.project_id', '=', p.wanted),
)
const selectLanesOfAgent = statement<Params & { wanted: string }>()((db, p) =>
  selectLanes(db, p).where('turns.agent_id', '=', p.wanted),
)
const selectAllLanes = statement<Params>()((db, p) => selectLanes(db, p))

/** `after`: the last one seen. The common processes come first. */
export async function postsWithWork(
  reader: Reader,
  filter: PostsFilter,
  after: Post | undefined,
  page: Page,
): Promise<Post[]> {
  const inCommon = after?.lane ? [] : await commonWithWork(reader, filter, after, page)
  if (inCommon.length === page.limit) return inCommon
  const left = { ...page, limit: page.limit - inCommon.length }
  const params = { ...left, ...(after?.lane ? after : first) }
  return [...inCommon, ...(await lanesWithWork(reader, filter, params))]
}

async function lanesWithWork(reader: Reader, filter: PostsFilter, params: Params): Promise<Post[]> {
  const rows = await lanesFound(reader, filter, params)
  return rows.map((row) => fields(row, 'project_id', 'agent_id', 'lane'))
}

function lanesFound(reader: Reader, filter: PostsFilter, params: Params) {
  if ('projectId' in filter)
    return reader.all(selectLanesOfProject, { ...params, wanted: filter.projectId })
  if ('agentId' in filter)
    return reader.all(selectLanesOfAgent, { ...params, wanted: filter.agentId })
  return reader.all(selectAllLanes, params)
}

async function commonWithWork(
  reader: Reader,
  filter: PostsFilter,
  after: Post | undefined,
  page: Page,
): Promise<Post[]> {
  const others = 'agentId' in filter ? selectOfAgent : selectAll
  const select = 'projectId' in filter ? selectOfProject : others
  const rows = await reader.all(select, { ...page, ...(after ?? first), ...filter })
  return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id, lane: '' }))
}

const first: Post = { projectId: '', agentId: '', lane: '' }
