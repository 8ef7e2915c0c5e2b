/**
 * Queries about launches, and their forms for decisions and readers. Written under the locks of
 * their project's and their coordinator's stream. The output of a process is read only on request.
 */

import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { noticeOf, textOf } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import type { LiveLaunches } from '../../domain/processes/next-launch.ts'
import { failedEnds } from '../../domain/processes/start.ts'
import type { LaunchOrder } from '../../protocol/processes/link.ts'
import type { Process } from '../../protocol/processes/process.ts'
import { type Pair, type Post, postOf } from '../agent-sessions/agent-sessions.ts'
import { columns, detailIn, fields, noticeColumn } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { columnsBesides, pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'

/** Columns that are read and written on their own. */
const apart = [
  'agent_name',
  'context_limit',
  'output',
  'ready_at',
  'token_hash',
  'unknown',
  'tools',
  'folder',
] as const
const launchColumns = columnsBesides('launches', ...apart)
export type LaunchRow = Pick<Tables['launches'], (typeof launchColumns)[number]>

/** A literal in the query, so that the partial indexes are used. */
export const launchEnded = sql.lit<LaunchRow['state']>('ended')
const held = sql.lit<LaunchRow['state']>('held')
const waiting = sql.lit<LaunchRow['state']>('waiting')

export const selectOutput = statement<{ id: string }>()((db, p) =>
  db.selectFrom('launches').select(['output', 'unknown', 'tools']).where('id', '=', p.id),
)

/** Whether the project's folder is another one than when the process was started. */
export const selectHasMoved = statement<{ launchId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .innerJoin('projects', 'projects.id', 'launches.project_id')
    .where('launches.id', '=', p.launchId)
    .where('launches.folder', '<>', ({ fn, val }) => fn.coalesce('projects.path', val('')))
    .select('launches.id'),
)

type Builder = Parameters<QueryBuilder<unknown>>[0]

/** Launches of an agent in a project that have not ended, oldest first. */
const liveOfPair = (db: Builder, p: Pair) =>
  db
    .selectFrom('launches')
    .select(launchColumns)
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('state', '<>', launchEnded)
    .orderBy('ordered_at')
    .orderBy('id')

const selectLaunch = statement<{ id: string }>()((db, p) =>
  db.selectFrom('launches').select(launchColumns).where('id', '=', p.id),
)

const selectLiveOfPair = statement<Pair>()((db, p) =>
  liveOfPair(db, p).where('role_agent_id', 'is', null),
)

const selectLiveOfPost = statement<Post>()((db, p) =>
  liveOfPair(db, p).where('lane', '=', p.lane).where('role_agent_id', 'is', null),
)

const selectLiveOfCoordinator = statement<{
  coordinatorId: string
  after: Instant
  id: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('launches')
    .select(launchColumns)
    .where('coordinator_id', '=', p.coordinatorId)
    .where('state', '<>', launchEnded)
    .where((eb) => eb(eb.refTuple('ordered_at', 'id'), '>', eb.tuple(p.after, p.id)))
    .orderBy('ordered_at')
    .orderBy('id')
    .limit(p.limit),
)

/** The launch of a valid launch token, with its agent. */
export const selectLaunchByToken = statement<{ hash: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .innerJoin('agents', 'agents.id', 'launches.agent_id')
    .select([
      'launches.id',
      'launches.agent_id',
      'launches.project_id',
      'launches.lane',
      'launches.stop_reason',
      'launches.role_agent_id',
      'agents.name',
    ])
    .where('launches.token_hash', '=', p.hash)
    .where('launches.state', '<>', launchEnded),
)

/** CO7: newest first, up to the number that matters. */
const selectFailures = statement<Post & { since: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('launches')
    .select(['detail', 'notice', 'ended_at'])
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('lane', '=', p.lane)
    .where('role_agent_id', 'is', null)
    .where('ended_at', '>', p.since)
    .where('reason', 'in', failedEnds)
    .orderBy('ended_at', 'desc')
    .limit(p.limit),
)

/** The live launches of each coordinator, including ordered ones. */
const countLive = statement()((db) =>
  db
    .selectFrom('launches')
    .select(['coordinator_id', sql<number>`count(*)`.as('count')])
    .where('state', '<>', launchEnded)
    .where('state', '<>', held)
    .groupBy('coordinator_id'),
)

const countLiveOn = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches as l')
    .leftJoin('agents', 'agents.id', 'l.agent_id')
    .select(['l.agent_id', 'l.project_id', 'l.state', 'agents.max_processes'])
    .select([sql<number>`count(*)`.as('count'), sql<Instant>`min(l.ordered_at)`.as('oldest')])
    .where('l.coordinator_id', '=', p.coordinatorId)
    .where('l.state', '<>', launchEnded)
    .where('l.state', '<>', held)
    .groupBy(['l.agent_id', 'l.project_id', 'l.state', 'agents.max_processes']),
)

export const countLiveByState = statement()((db) =>
  db
    .selectFrom('launches')
    .select(['state', sql<number>`count(*)`.as('count')])
    .where('state', '<>', launchEnded)
    .groupBy('state'),
)

const selectOrders = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .leftJoin('agents', 'agents.id', 'launches.agent_id')
    .select([
      'launches.id',
      'launches.agent_id',
      'launches.project_id',
      'launches.state',
      'launches.stop_reason',
    ])
    .select('agents.max_processes')
    .where('launches.coordinator_id', '=', p.coordinatorId)
    .where('launches.state', '<>', launchEnded)
    .where('launches.state', '<>', held)
    .orderBy('launches.ordered_at')
    .orderBy('launches.id'),
)

const plainColumns = columnsBesides('launches', ...apart, 'detail', 'notice')

const launchFrom = (row: LaunchRow): Launch => ({
  ...fields(row, ...plainColumns),
  detail: detailIn(row.detail, row.notice),
})

export const launchRow = (launch: Launch): LaunchRow => ({
  ...columns(launch, ...plainColumns),
  detail: launch.detail === null ? null : textOf(launch.detail),
  notice: noticeColumn(launch.detail),
})

export const processOf = ({
  birth: _,
  stopOrderedAt: __,
  id,
  lane,
  detail,
  ...launch
}: Launch): Process => ({
  launchId: id,
  ...launch,
  ...(lane !== '' && { conversationKey: lane }),
  detail: detail === null ? null : textOf(detail),
  notice: noticeOf(detail),
})

export async function findLaunch(reader: Reader, id: string): Promise<Launch | undefined> {
  const row = await reader.first(selectLaunch, { id })
  return row && launchFrom(row)
}

/**
 * Live launches of the post, oldest first; without those in roles, which are started separately
 * (AS4, CO3).
 */
export const liveLaunchesOf = async (reader: Reader, post: Post): Promise<Launch[]> =>
  (await reader.all(selectLiveOfPost, postOf(post))).map(launchFrom)

const selectLiveIn = statement<{ lane: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .select(launchColumns)
    .where('lane', '=', p.lane)
    .where('lane', '<>', sql.lit(''))
    .where('state', '<>', launchEnded)
    .orderBy('id'),
)

/** Those of all agents in the lane of a thread. */
export const liveLaunchesIn = async (reader: Reader, lane: string): Promise<Launch[]> =>
  (await reader.all(selectLiveIn, { lane })).map(launchFrom)

/** The same in all lanes of the pair. */
export const liveLaunchesOfPair = async (
  reader: Reader,
  { agentId, projectId }: Pair,
): Promise<Launch[]> => (await reader.all(selectLiveOfPair, { agentId, projectId })).map(launchFrom)

/** Oldest first, after the last one seen. */
export async function liveLaunchesOn(
  reader: Reader,
  coordinatorId: string,
  limit: number,
  last?: Pick<Launch, 'orderedAt' | 'id'>,
): Promise<Launch[]> {
  const key = { after: last?.orderedAt ?? '', id: last?.id ?? '' }
  return (await reader.all(selectLiveOfCoordinator, { coordinatorId, ...key, limit })).map(
    launchFrom,
  )
}

export async function failuresOf(reader: Reader, post: Post, since: Instant, limit: number) {
  const rows = await reader.all(selectFailures, { ...postOf(post), since, limit })
  return {
    count: rows.length,
    lastDetail: rows[0] ? detailIn(rows[0].detail, rows[0].notice) : null,
  }
}

export async function liveCounts(reader: Reader): Promise<Map<string, number>> {
  const rows = await reader.all(countLive, {})
  return new Map(rows.map((row) => [row.coordinator_id, Number(row.count)]))
}

export async function liveCountsOn(reader: Reader, coordinatorId: string): Promise<LiveLaunches[]> {
  const rows = await reader.all(countLiveOn, { coordinatorId })
  return rows.map(({ state, count, oldest, ...row }) => ({
    ...fields(row, 'agent_id', 'project_id', 'max_processes'),
    state: state as LiveLaunches['state'],
    count: Number(count),
    oldest,
  }))
}

const selectOldestWaiting = statement<Pair & { coordinatorId: string }>()((db, p) =>
  liveOfPair(db, p)
    .where('coordinator_id', '=', p.coordinatorId)
    .where('state', '=', waiting)
    .limit(1),
)

/** The oldest of the agent in the project that waits there. */
export async function oldestWaitingOn(
  reader: Reader,
  coordinatorId: string,
  { agentId, projectId }: Pair,
): Promise<Launch | undefined> {
  const row = await reader.first(selectOldestWaiting, { coordinatorId, agentId, projectId })
  return row && launchFrom(row)
}

const selectWaiting = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .select('id')
    .where('coordinator_id', '=', p.coordinatorId)
    .where('state', '<>', launchEnded)
    .where('state', '=', waiting)
    .limit(1),
)

export const anyWaitsOn = async (reader: Reader, coordinatorId: string): Promise<boolean> =>
  (await reader.first(selectWaiting, { coordinatorId })) !== undefined

export async function ordersOf(reader: Reader, coordinatorId: string): Promise<LaunchOrder[]> {
  const rows = await reader.all(selectOrders, { coordinatorId })
  return rows.map((row) => ({
    ...fields(row, 'agent_id', 'project_id', 'max_processes', 'stop_reason'),
    launchId: row.id,
    state: row.state as LaunchOrder['state'],
  }))
}

export interface ProcessesFilter {
  readonly projectId?: string | undefined
  readonly agentId?: string | undefined
  readonly state?: Process['state'] | undefined
}

export async function processesPage(
  reader: Reader,
  { projectId, agentId, state }: ProcessesFilter,
  params: PageParams,
): Promise<Process[]> {
  const rows = await reader.query<LaunchRow>((db) => {
    let found = db.selectFrom('launches').select(launchColumns)
    if (projectId !== undefined) found = found.where('project_id', '=', projectId)
    if (agentId !== undefined) found = found.where('agent_id', '=', agentId)
    if (state !== undefined) found = found.where('state', '=', state)
    // Added so that the partial indexes are used: few live among many ended ones.
    if (state !== undefined && state !== 'ended') found = found.where('state', '<>', launchEnded)
    return pageOf(found, params, 'ordered_at', 'id')
  })
  return rows.map((row) => processOf(launchFrom(row)))
}

// Processes of ACP agents that are ready for a turn (CH12).

/**
 * Closes processes that can hold one conversation, and hold this one, to every other: they know
 * what was deleted.
 */
export const closeLimitedHolders = statement<{ key: string }>()((db, p) =>
  db
    .updateTable('launches')
    .set({ context_limit: 0 })
    .where('context_limit', '=', 1)
    .where('id', 'in', (of) =>
      of
        .selectFrom('contexts')
        .select(sql<string>`launch_id`.as('id'))
        .where('conversation_key', '=', p.key)
        .where('launch_id', 'is not', null)
        .where('state', '<>', sql.lit('ended')),
    ),
)

export const selectAgentName = statement<{ id: string }>()((db, p) =>
  db.selectFrom('launches').select('agent_name').where('id', '=', p.id),
)

const selectContextLimit = statement<{ id: string }>()((db, p) =>
  db.selectFrom('launches').select(['context_limit', 'ready_at']).where('id', '=', p.id),
)

/**
 * How many contexts a process can hold; null: any number; 0: its one conversation was deleted. A
 * process in a role since before contexts had names holds its own alone.
 */
export async function contextLimit(reader: Reader, id: string): Promise<number | null> {
  const row = await reader.first(selectContextLimit, { id })
  return row && row.ready_at === null ? 1 : (row?.context_limit ?? null)
}
