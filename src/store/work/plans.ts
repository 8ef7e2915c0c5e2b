/** Finds the next tasks in the plans of running work sessions (WK5), through indexes. */
import { sql } from 'kysely'
import { rowsOf, selectSome } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'

/** Literals in the query, not parameters, so that the partial indexes are used. */
const pending = sql.lit<Tables['tasks']['status']>('pending')
const inProgress = sql.lit<Tables['tasks']['status']>('in_progress')
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
  rowsOf(db, 'tasks', { session_id: p.workSessionId }, 'phase', 'created_at', 'id')
    .where((eb) => eb.or([eb('status', '=', pending), eb('status', '=', inProgress)]))
    .limit(p.limit),
)

export const selectBlocked = selectSome('tasks', { workSessionId: 'session_id', status: blocked }, 'phase', 'created_at', 'id')
