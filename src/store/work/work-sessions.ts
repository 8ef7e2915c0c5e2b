/**
 * Queries about work sessions (table `sessions`), and their form for readers. Written under the
 * lock of their project's stream.
 */

import { maxAncestors } from '../../domain/work/resume-context.ts'
import {
  workSessionOf as standing,
  stateSummary,
} from '../../domain/work/work-session-lifecycle.ts'
import type { Lineage } from '../../protocol/work/lineage.ts'
import type { WorkSession } from '../../protocol/work/work-session.ts'
import { fields, noticeFrom } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type WorkSessionRow = Tables['sessions']

export const selectRunningOfProject = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('ended_at', 'is', null)
    .orderBy('id'),
)

/** Over all projects, in the order of project and id. */
export const selectRunningAfter = statement<{
  projectId: string
  workSessionId: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('sessions')
    .select(['id', 'project_id'])
    .where('ended_at', 'is', null)
    .where((eb) => eb(eb.refTuple('project_id', 'id'), '>', eb.tuple(p.projectId, p.workSessionId)))
    .orderBy('project_id')
    .orderBy('id')
    .limit(p.limit),
)

/** UI1: work sessions of all projects that can be resumed, newest first. */
const selectToResume = statement<PageParams>()((db, p) =>
  pageOf(
    db
      .selectFrom('sessions')
      .innerJoin('projects', 'projects.id', 'sessions.project_id')
      .selectAll('sessions')
      .where('sessions.interruption_reason', 'is not', null)
      .where('sessions.resumed_by', 'is', null)
      .where('sessions.dismissed_at', 'is', null),
    p,
    'sessions.started_at',
    'sessions.id',
  ),
)

const selectPage = statement<PageParams & { projectId: string }>()((db, p) =>
  pageOf(
    db.selectFrom('sessions').selectAll().where('project_id', '=', p.projectId),
    p,
    'started_at',
    'id',
  ),
)

const selectChildren = statement<{ parentId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('parent_session_id', '=', p.parentId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** The state is derived, not a column, so that the table keeps its known layout (WK1). */
export function workSessionOf(row: WorkSessionRow): WorkSession {
  const { state, endedAt, interruptionReason } = standing(
    row.id,
    row.ended_at,
    row.interruption_reason,
  )
  const now = {
    state,
    interruptionReason,
    ...fields(
      row,
      'current_phase',
      'current_agent_role',
      'current_agent_type',
      'current_task_id',
      'context_summary',
    ),
  }
  return {
    ...fields(
      row,
      'id',
      'project_id',
      'parent_session_id',
      'started_at',
      'resumed_by',
      'set_aside',
    ),
    ...fields(row, 'dismissed_at', 'file_problem'),
    endedAt,
    ...now,
    notice: noticeFrom(row.notice),
    error: errorIn(row.error),
    stateSummary: stateSummary(now),
  }
}

/** An invalid value hides only itself, not the list (RE9). */
function errorIn(text: string | null): WorkSession['error'] {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

export const workSessionsPage = async (
  reader: Reader,
  projectId: string,
  params: PageParams,
): Promise<WorkSession[]> =>
  (await reader.all(selectPage, { ...params, projectId })).map(workSessionOf)

/** The work sessions resumed from it, newest first. */
export const childrenOf = async (
  reader: Reader,
  parentId: string,
  limit: number,
): Promise<WorkSession[]> =>
  (await reader.all(selectChildren, { parentId, limit })).map(workSessionOf)

const maxDescendants = 1000

/** All descendants, children before grandchildren, newest first of each (RS3). */
export async function descendantsOf(reader: Reader, id: string): Promise<WorkSessionRow[]> {
  const found = new Map<string, WorkSessionRow>()
  const queue = [id]
  for (const parentId of queue)
    for (const child of await reader.all(selectChildren, {
      parentId,
      limit: maxDescendants - found.size,
    })) {
      if (child.id === id || found.has(child.id)) continue
      found.set(child.id, child)
      queue.push(child.id)
    }
  return [...found.values()]
}

/** Interrupted and not resumed since. */
export const workSessionsToResume = async (
  reader: Reader,
  params: PageParams,
): Promise<WorkSession[]> => (await reader.all(selectToResume, params)).map(workSessionOf)

/** The running descendant, however often the work was resumed. */
export async function runningDescendant(
  reader: Reader,
  row: WorkSessionRow,
): Promise<WorkSessionRow | undefined> {
  const seen = new Set([row.id])
  for (let id = row.resumed_by; id !== null && !seen.has(id) && seen.size <= maxAncestors; ) {
    seen.add(id)
    const child = await reader.row('sessions', { id })
    if (!child || child.ended_at === null) return child
    id = child.resumed_by
  }
  return undefined
}

async function ancestorsFrom(
  reader: Reader,
  row: Pick<WorkSessionRow, 'id' | 'parent_session_id'>,
): Promise<string[]> {
  const ids = new Set([row.id])
  for (
    let parentId = row.parent_session_id;
    parentId !== null && !ids.has(parentId) && ids.size <= maxAncestors;
  ) {
    ids.add(parentId)
    parentId = (await reader.row('sessions', { id: parentId }))?.parent_session_id ?? null
  }
  return [...ids].slice(1)
}

/** The ancestors, nearest first. */
export async function ancestorsOf(reader: Reader, id: string): Promise<string[]> {
  const row = await reader.row('sessions', { id })
  return row ? ancestorsFrom(reader, row) : []
}

/**
 * The work sessions whose approaches apply (AR2): itself, its ancestors, nearest first, and ended
 * work sessions resumed from those. With `descendants` (RS3) also its own ended descendants.
 */
export async function lineageOf(
  reader: Reader,
  row: Pick<WorkSessionRow, 'id' | 'parent_session_id'>,
  { descendants = false } = {},
): Promise<string[]> {
  const ancestors = await ancestorsFrom(reader, row)
  const ids = new Set([row.id, ...ancestors])
  const root = ancestors.at(-1)
  const own = new Set(
    (root === undefined || descendants ? [] : await descendantsOf(reader, row.id)).map(
      ({ id }) => id,
    ),
  )
  const tree = root === undefined && !descendants ? [] : await descendantsOf(reader, root ?? row.id)
  const others = tree.filter(
    ({ id, ended_at }) => ended_at !== null && !ids.has(id) && !own.has(id),
  )
  const otherIds = others.sort((a, b) => (a.started_at < b.started_at ? 1 : -1)).map(({ id }) => id)
  return descendants ? [...otherIds, row.id, ...ancestors] : [row.id, ...otherIds, ...ancestors]
}

// The work sessions that an agent session drives (AS9).

export const selectDrivenBy = statement<{ projectId: string; agentSessionId: string }>()((db, p) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('ended_at', 'is', null)
    .where('owner_agent_session_id', '=', p.agentSessionId)
    .orderBy('id'),
)

/**
 * Marks on the line of a work session (UI2): the newest checkpoints and approvals, without
 * contents.
 */
const selectCheckpoints = statement<{ id: string; limit: number }>()((db, p) =>
  db
    .selectFrom('checkpoints')
    .select(['number', 'at', 'reason', 'subject'])
    .where('session_id', '=', p.id)
    .orderBy('number', 'desc')
    .limit(p.limit),
)

const selectApprovals = statement<{ id: string; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select([
      'id',
      'submitted_at as submittedAt',
      'resolved_at as resolvedAt',
      'status',
      'checkpoint_type as checkpointType',
    ])
    .where('session_id', '=', p.id)
    .orderBy('id', 'desc')
    .limit(p.limit),
)

type Marks = Pick<Lineage['items'][number], 'checkpoints' | 'approvals'>

export const marksOf = async (reader: Reader, id: string, limit: number): Promise<Marks> => ({
  checkpoints: await reader.all(selectCheckpoints, { id, limit }),
  approvals: await reader.all(selectApprovals, { id, limit }),
})
