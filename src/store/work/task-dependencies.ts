/**
 * Queries about dependencies between tasks of a project: one row for each entry of `depends_on`.
 */
import type { Dependencies } from '../../domain/work/task-dependencies.ts'
import type { TaskStatus } from '../../domain/work/task-lifecycle.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

interface TaskKey {
  readonly projectId: string
  readonly taskId: string
}

type DependencyStatus = { readonly id: string; readonly status: TaskStatus | null }

export const deleteDependenciesOf = statement<{ projectId: string; taskId: string }>()((db, p) =>
  db
    .deleteFrom('task_dependencies')
    .where('project_id', '=', p.projectId)
    .where('task_id', '=', p.taskId),
)

const selectDependent = statement<TaskKey>()((db, p) =>
  db
    .selectFrom('task_dependencies')
    .select('task_id')
    .where('project_id', '=', p.projectId)
    .where('depends_on', '=', p.taskId)
    .limit(1),
)

const selectAll = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('task_dependencies')
    .select(['task_id', 'depends_on'])
    .where('project_id', '=', p.projectId)
    .orderBy('task_id')
    .orderBy('depends_on'),
)

const selectStandings = statement<TaskKey>()((db, p) =>
  db
    .selectFrom('task_dependencies as each')
    .leftJoin('tasks', (join) =>
      join
        .onRef('tasks.project_id', '=', 'each.project_id')
        .onRef('tasks.id', '=', 'each.depends_on'),
    )
    .select(['each.depends_on as id', 'tasks.status as status'])
    .where('each.project_id', '=', p.projectId)
    .where('each.task_id', '=', p.taskId),
)

export const selectBlockedBehind = statement<TaskKey>()((db, p) =>
  db
    .selectFrom('task_dependencies as each')
    .innerJoin('tasks', (join) =>
      join.onRef('tasks.project_id', '=', 'each.project_id').onRef('tasks.id', '=', 'each.task_id'),
    )
    .selectAll('tasks')
    .where('each.project_id', '=', p.projectId)
    .where('each.depends_on', '=', p.taskId)
    .where('tasks.status', '=', 'blocked')
    .orderBy('each.task_id'),
)

/** The dependencies of all tasks that depend on a task. */
const selectStandingsBehind = statement<TaskKey>()((db, p) =>
  db
    .selectFrom('task_dependencies as each')
    .leftJoin('tasks', (join) =>
      join
        .onRef('tasks.project_id', '=', 'each.project_id')
        .onRef('tasks.id', '=', 'each.depends_on'),
    )
    .select(['each.depends_on as id', 'tasks.status as status'])
    .distinct()
    .where('each.project_id', '=', p.projectId)
    .where('each.task_id', 'in', (eb) =>
      eb
        .selectFrom('task_dependencies')
        .select('task_id')
        .where('project_id', '=', p.projectId)
        .where('depends_on', '=', p.taskId),
    ),
)

/** The status of a dependency; undefined when the task does not exist yet. */
export type StatusOf = (taskId: string) => TaskStatus | undefined

export const statusesOfDependencies = async (reader: Reader, task: TaskKey): Promise<StatusOf> =>
  statusOf(await reader.all(selectStandings, task))

export const statusesBehind = async (reader: Reader, task: TaskKey): Promise<StatusOf> =>
  statusOf(await reader.all(selectStandingsBehind, task))

/** Whether any task depends on it; if none does, its dependencies cannot form a cycle. */
export const hasDependents = async (reader: Reader, task: TaskKey): Promise<boolean> =>
  (await reader.first(selectDependent, task)) !== undefined

export async function dependenciesOf(reader: Reader, projectId: string): Promise<Dependencies> {
  const rows = await reader.all(selectAll, { projectId })
  const byTask = Map.groupBy(rows, ({ task_id }) => task_id)
  return new Map(
    [...byTask].map(([taskId, edges]) => [taskId, edges.map(({ depends_on }) => depends_on)]),
  )
}

function statusOf(standings: readonly DependencyStatus[]): StatusOf {
  const statuses = new Map(standings.map(({ id, status }) => [id, status ?? undefined]))
  return (taskId) => statuses.get(taskId)
}
