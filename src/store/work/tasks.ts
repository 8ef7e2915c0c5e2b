/**
 * Queries about tasks, and their forms for decisions and readers. Written under the lock of their
 * project's stream.
 */

import { sql } from 'kysely'
import type { Task as Decided, TaskStatus } from '../../domain/work/task-lifecycle.ts'
import { onWire } from '../../protocol/work/on-wire.ts'
import type { Task } from '../../protocol/work/task.ts'
import { columns, fields, jsonIn, jsonOf } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type TaskRow = Tables['tasks']

/** A literal in the query, not a parameter, so that the partial index is used. */
const inProgress = sql.lit<TaskStatus>('in_progress')

/**
 * AS3: the current task of an agent in a project, in running work sessions or in none yet (WK4); of
 * several, one of the work session it drives, then the one begun first.
 */
export const selectTaskAtHand = statement<{
  agentId: string
  projectId: string
  workSessionId: string | null
}>()((db, p) =>
  db
    .selectFrom('tasks')
    .leftJoin('sessions', 'sessions.id', 'tasks.session_id')
    .selectAll('tasks')
    .where('tasks.assigned_to', '=', p.agentId)
    .where('tasks.project_id', '=', p.projectId)
    .where('tasks.status', '=', inProgress)
    .where('sessions.ended_at', 'is', null)
    .orderBy((eb) =>
      eb
        .case()
        .when('tasks.session_id', '=', p.workSessionId)
        .then(eb.lit(0))
        .else(eb.lit(1))
        .end(),
    )
    .orderBy('tasks.started_at')
    .orderBy('tasks.id')
    .limit(1),
)

/** The current task of a work session: of several, the one begun last. */
export const selectTaskOfWorkSession = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('tasks')
    .select(['id', 'phase'])
    .where('session_id', '=', p.workSessionId)
    .where('status', '=', 'in_progress')
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

interface NumberedIds {
  readonly projectId: string
  readonly from: string
  readonly to: string
  readonly chars: number
  readonly charsWithoutUnderscores: number
}

/**
 * The last id of this length between two; an id of a longer type (`code_5`) has one more
 * underscore.
 */
const selectLastId = statement<NumberedIds>()((db, p) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('project_id', '=', p.projectId)
    .where('id', '>=', p.from)
    .where('id', '<=', p.to)
    .where((eb) => eb(eb.fn('length', ['id']), '=', p.chars))
    .where(sql`length(replace(id, '_', ''))`, '=', p.charsWithoutUnderscores)
    .orderBy('id', 'desc')
    .limit(1),
)

const digits = { fewest: 3, most: 15 } as const

/** The highest numbered ids with this prefix, found through the key. */
export async function highestIds(
  reader: Reader,
  projectId: string,
  beginning: string,
): Promise<string[]> {
  const found: string[] = []
  for (let count: number = digits.fewest; count <= digits.most; count++) {
    const [from, to] = ['0', '9'].map((digit) => beginning + digit.repeat(count)) as [
      string,
      string,
    ]
    const charsWithoutUnderscores = to.replaceAll('_', '').length
    const last = await reader.first(selectLastId, {
      projectId,
      from,
      to,
      chars: to.length,
      charsWithoutUnderscores,
    })
    if (last) found.push(last.id)
    // Numbers grow by one, so longer ones exist only after the last of this length.
    if (last?.id !== to) break
  }
  return found
}

export interface TasksFilter {
  readonly projectId: string
  readonly status?: TaskStatus | undefined
  readonly workSessionId?: string | undefined
  readonly assignedTo?: string | undefined
}

export async function tasksPage(
  reader: Reader,
  filter: TasksFilter,
  page: PageParams,
): Promise<Task[]> {
  const { projectId, status, workSessionId, assignedTo } = filter
  const rows = await reader.query<TaskRow>((db) => {
    let found = db.selectFrom('tasks').selectAll().where('project_id', '=', projectId)
    if (status !== undefined) found = found.where('status', '=', status)
    if (assignedTo !== undefined) found = found.where('assigned_to', '=', assignedTo)
    if (workSessionId !== undefined) found = found.where('session_id', '=', workSessionId)
    return pageOf(found, page, 'created_at', 'id')
  })
  return rows.map(taskOf)
}

/** The task as the domain decides about it. */
export function taskFrom(row: TaskRow): Decided {
  const parts = {
    ...fields(row, 'id', 'assigned_to', 'progress_percent'),
    dependsOn: JSON.parse(row.depends_on),
    result: jsonIn(row.result),
  }
  const startedAt = row.started_at ?? row.created_at
  switch (row.status) {
    case 'pending':
    case 'blocked':
      return { ...parts, status: row.status, startedAt: null, completedAt: null }
    case 'in_progress':
    case 'failed':
      return { ...parts, status: row.status, startedAt, completedAt: null }
    case 'completed':
      return { ...parts, status: row.status, startedAt, completedAt: row.completed_at ?? startedAt }
  }
}

export const taskColumns = (task: Decided) => ({
  ...columns(task, 'status', 'progress_percent', 'assigned_to', 'started_at', 'completed_at'),
  depends_on: JSON.stringify(task.dependsOn),
  result: jsonOf(task.result),
})

/** The task as it is answered over HTTP, over MCP and in events. */
export const taskOf = (row: TaskRow): Task =>
  onWire({
    ...fields(
      row,
      'id',
      'project_id',
      'phase',
      'title',
      'description',
      'status',
      'progress_percent',
      'assigned_to',
    ),
    ...fields(row, 'blocked_by', 'started_at', 'completed_at', 'created_at', 'updated_at'),
    workSessionId: row.session_id,
    type: row.task_type,
    dependsOn: JSON.parse(row.depends_on),
    result: jsonIn(row.result),
  })

// Unfinished tasks of a work session (RS1), without reading the others.

/** Literals in the query, not parameters, so that the partial index is used. */
const completed = sql.lit<Tables['tasks']['status']>('completed')
const failed = sql.lit<Tables['tasks']['status']>('failed')

export const selectUnfinished = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('status', '<>', completed)
    .where('status', '<>', failed)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** How many of its tasks are over, by how. */
export const selectFinishedCounts = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('tasks')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .where('session_id', '=', p.workSessionId)
    .where((eb) => eb.or([eb('status', '=', completed), eb('status', '=', failed)]))
    .groupBy('status'),
)

/** Completed tasks of a work session, the newest first, through an index of their own. */
export const selectCompleted = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('status', '=', completed)
    .orderBy('completed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

// The next tasks in the plans of running work sessions (WK5), through indexes.

/** Literals in the query, not parameters, so that the partial indexes are used. */
const pending = sql.lit<Tables['tasks']['status']>('pending')
const blocked = sql.lit<Tables['tasks']['status']>('blocked')

type Db = Parameters<QueryBuilder<unknown>>[0]

/** Running work sessions that continue by themselves: a task was begun, or they were resumed. */
export const tasksInProgress = (db: Db) =>
  db
    .selectFrom('sessions as plan')
    .where('plan.ended_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('plan.parent_session_id', 'is not', null),
        eb.exists(
          eb
            .selectFrom('tasks as begun')
            .select('begun.id')
            .whereRef('begun.session_id', '=', 'plan.id')
            .where('begun.started_at', 'is not', null),
        ),
      ]),
    )

/** The first task that the agent could begin. */
const next = (db: Db, agentId: string) =>
  tasksInProgress(db)
    .innerJoin('tasks', 'tasks.session_id', 'plan.id')
    .selectAll('tasks')
    .where('tasks.status', '=', pending)
    .where('tasks.assigned_to', '=', agentId)
    .orderBy('tasks.phase')
    .orderBy('tasks.created_at')
    .orderBy('tasks.id')
    .limit(1)

/** AS3: in any plan of the project. */
export const selectNextTask = statement<{ agentId: string; projectId: string }>()((db, p) =>
  next(db, p.agentId).where('plan.project_id', '=', p.projectId),
)

/** NA11: in the plan of its work session. */
export const selectNextTaskIn = statement<{ agentId: string; workSessionId: string }>()((db, p) =>
  next(db, p.agentId).where('plan.id', '=', p.workSessionId),
)

/** Tasks that could be done now. */
export const selectUnblocked = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where((eb) => eb.or([eb('status', '=', pending), eb('status', '=', inProgress)]))
    .orderBy('phase')
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

/** Oldest first. */
export const selectWithStatus = statement<{
  workSessionId: string
  status: Tables['tasks']['status']
  limit: number
}>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('status', '=', p.status)
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

export const selectBlocked = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('status', '=', blocked)
    .orderBy('phase')
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)
