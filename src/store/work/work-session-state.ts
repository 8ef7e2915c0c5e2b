/** Queries about the state of a work session: its rows, its checkpoints and what they hold. */

import type { Instant } from '../../domain/instant.ts'
import { sorted } from '../../domain/work/work-session-lifecycle.ts'
import { schemaVersion } from '../../protocol/schema-version.ts'
import type { Checkpoint } from '../../protocol/work/checkpoint.ts'
import type { StateCheckpoint } from '../../protocol/work/state-checkpoint.ts'
import type { WorkSessionFile } from '../../protocol/work/work-session-file.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { descendantsOf, lineageOf, type WorkSessionRow, workSessionOf } from './work-sessions.ts'

const tasks = statement<{ id: string }>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.id)
    .orderBy('created_at')
    .orderBy('id'),
)
const approvals = statement<{ id: string }>()((db, p) =>
  db.selectFrom('human_approvals').selectAll().where('session_id', '=', p.id).orderBy('id'),
)
const approaches = statement<{ id: string }>()((db, p) =>
  db
    .selectFrom('approaches')
    .selectAll()
    .where('session_id', '=', p.id)
    .orderBy('recorded_at')
    .orderBy('id'),
)
const checkpoints = statement<{ id: string }>()((db, p) =>
  db.selectFrom('checkpoints').selectAll().where('session_id', '=', p.id).orderBy('number'),
)
const artifacts = statement<{ id: string }>()((db, p) =>
  db.selectFrom('artifacts').selectAll().where('session_id', '=', p.id).orderBy('name'),
)
const owner = statement<{ agentSessionId: string }>()((db, p) =>
  db.selectFrom('agent_sessions').select('agent_id').where('id', '=', p.agentSessionId),
)

type CompletedTask = StateCheckpoint['completed_tasks'][number]

/** What the work sessions that it continues have completed, oldest first (CK10). */
async function completedBefore(reader: Reader, row: WorkSessionRow): Promise<CompletedTask[]> {
  const found: CompletedTask[] = []
  for (const id of (await lineageOf(reader, row)).filter((each) => each !== row.id).reverse()) {
    const { completed } = sorted(await reader.all(tasks, { id }))
    if (completed.length > 0)
      found.push(...completedTasks(completed, await reader.all(approvals, { id })))
  }
  return found
}

function completedTasks(
  completed: readonly Tables['tasks'][],
  decided: readonly Tables['human_approvals'][],
): CompletedTask[] {
  const approved = new Set(
    decided.filter(({ status }) => status === 'approved').map(({ task_id }) => task_id),
  )
  return completed.map(({ id }) => ({
    task_id: id,
    status: approved.has(id) ? 'approved' : 'completed',
  }))
}

/** All rows of a work session (CK2), for the mirror and for rebuilding a store. */
export interface WorkSessionRows {
  readonly workSession: WorkSessionRow
  /** The agent that drives it; null when there is none. */
  readonly ownerAgentId: string | null
  readonly tasks: readonly Tables['tasks'][]
  /** CK10: what was completed in the line before it. */
  readonly completedBefore: readonly CompletedTask[]
  readonly approvals: readonly Tables['human_approvals'][]
  /** Without inherited ones. */
  readonly approaches: readonly Tables['approaches'][]
  readonly checkpoints: readonly Tables['checkpoints'][]
  readonly artifacts: readonly Tables['artifacts'][]
}

/** Undefined when it does not exist. */
export async function workSessionRows(
  reader: Reader,
  id: string,
): Promise<WorkSessionRows | undefined> {
  const workSession = await reader.row('sessions', { id })
  if (!workSession) return undefined
  const agentSessionId = workSession.owner_agent_session_id
  return {
    workSession,
    ownerAgentId:
      (agentSessionId && (await reader.first(owner, { agentSessionId }))?.agent_id) || null,
    tasks: await reader.all(tasks, { id }),
    completedBefore: await completedBefore(reader, workSession),
    approvals: await reader.all(approvals, { id }),
    approaches: await reader.all(approaches, { id }),
    checkpoints: await reader.all(checkpoints, { id }),
    artifacts: await reader.all(artifacts, { id }),
  }
}

/** The approaches of a whole lineage, oldest first. */
export async function approachesOfLineage(
  reader: Reader,
  lineage: readonly string[],
): Promise<Tables['approaches'][]> {
  const rows: Tables['approaches'][] = []
  for (const id of lineage.toReversed()) rows.push(...(await reader.all(approaches, { id })))
  return rows
}

export const newestOf = (first: Instant, ...others: readonly (Instant | null)[]): Instant =>
  others.reduce<Instant>((newest, each) => (each !== null && each > newest ? each : newest), first)

export function stateCheckpoint(rows: WorkSessionRows): StateCheckpoint {
  const { workSession, tasks, approvals, approaches, checkpoints, artifacts } = rows
  const { completed, pending, remaining } = sorted(tasks)
  const { error } = workSessionOf(workSession)
  const times = [tasks, approaches, artifacts].flatMap((list) =>
    list.map(({ updated_at }) => updated_at),
  )
  return {
    schema_version: schemaVersion,
    project_id: workSession.project_id,
    session_id: workSession.id,
    timestamp: newestOf(
      workSession.started_at,
      workSession.ended_at,
      ...times,
      ...checkpoints.map(({ at }) => at),
    ),
    interruption_reason: workSession.interruption_reason,
    current_state: {
      phase: workSession.current_phase,
      active_agent: activeAgent(rows),
      active_task: activeTask(rows),
    },
    completed_tasks: [...rows.completedBefore, ...completedTasks(completed, approvals)],
    pending_tasks: pending.map(({ id, status, progress_percent, blocked_by }) =>
      status === 'blocked'
        ? { task_id: id, status, blocked_by }
        : { task_id: id, status, progress: progress_percent },
    ),
    remaining_tasks: remaining.map(({ id }) => ({ task_id: id, status: 'pending' })),
    context_summary: workSession.context_summary,
    ...(error && { error: { code: error.code, message: error.message, at: error.at } }),
  }
}

type CurrentState = NonNullable<StateCheckpoint['current_state']>

/** The agent that drives the work session, or that its current task is assigned to. */
function activeAgent({
  workSession,
  ownerAgentId,
  tasks,
}: WorkSessionRows): CurrentState['active_agent'] {
  const { current_agent_role: role, current_agent_type: type, current_task_id } = workSession
  const agent_id =
    ownerAgentId ?? tasks.find(({ id }) => id === current_task_id)?.assigned_to ?? null
  return role === null && type === null && agent_id === null ? null : { role, type, agent_id }
}

function activeTask({ workSession, tasks }: WorkSessionRows): CurrentState['active_task'] {
  const task = tasks.find(({ id }) => id === workSession.current_task_id)
  return task
    ? { task_id: task.id, name: task.title, progress_percent: task.progress_percent }
    : null
}

/** CK6: the state at its end; undefined while it runs, or when an older version ended it. */
export function endState({
  workSession,
  checkpoints,
}: WorkSessionRows): StateCheckpoint | undefined {
  const lastState = checkpoints.findLast(({ state }) => state !== null)?.state ?? null
  return workSession.ended_at === null || lastState === null
    ? undefined
    : (JSON.parse(lastState) as StateCheckpoint)
}

/** The state for its file: at its end, or now. */
export const currentState = (rows: WorkSessionRows): StateCheckpoint =>
  endState(rows) ?? stateCheckpoint(rows)

/**
 * CK6: the changes since its end: where the work was completed, and the current rows of tasks that
 * moved to others.
 */
export async function changesSinceEnd(
  reader: Reader,
  rows: WorkSessionRows,
): Promise<WorkSessionFile['since']> {
  const { id, project_id: projectId, ended_at } = rows.workSession
  const descendants = ended_at === null ? [] : await descendantsOf(reader, id)
  const completed = descendants.findLast(
    (each) => each.ended_at !== null && each.interruption_reason === null,
  )
  const { completed_tasks = [], pending_tasks = [], remaining_tasks = [] } = endState(rows) ?? {}
  // Tasks of the line before it are in the files there.
  const here = new Set([
    ...rows.tasks.map((task) => task.id),
    ...rows.completedBefore.map(({ task_id }) => task_id),
  ])
  const gone: Tables['tasks'][] = []
  for (const { task_id } of [...completed_tasks, ...pending_tasks, ...remaining_tasks]) {
    const task = here.has(task_id)
      ? undefined
      : await reader.row('tasks', { project_id: projectId, id: task_id })
    if (task) gone.push(task)
  }
  return { completed_in: completed?.id ?? null, tasks: gone }
}

/** Checkpoints: when the state of a work session was saved (CK1). */
export type CheckpointRow = Tables['checkpoints']

export const selectLastCheckpoint = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .orderBy('number', 'desc')
    .limit(1),
)

const selectNewest = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .orderBy('number', 'desc')
    .limit(p.limit),
)

export const checkpointOf = ({
  number,
  at,
  reason,
  subject,
  error,
}: CheckpointRow): Checkpoint => ({
  number,
  at,
  reason,
  subject,
  error: error === null ? null : JSON.parse(error),
})

export const checkpointsOf = async (
  reader: Reader,
  workSessionId: string,
  limit: number,
): Promise<Checkpoint[]> =>
  (await reader.all(selectNewest, { workSessionId, limit })).map(checkpointOf)

const selectLastChanges = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('sessions')
    .select((eb) => [
      'started_at as startedAt',
      'ended_at as endedAt',
      eb
        .selectFrom('tasks')
        .select(({ fn }) => fn.max('tasks.updated_at').as('at'))
        .where('tasks.session_id', '=', p.workSessionId)
        .as('taskAt'),
      eb
        .selectFrom('approaches')
        .select(({ fn }) => fn.max('approaches.updated_at').as('at'))
        .where('approaches.session_id', '=', p.workSessionId)
        .as('approachAt'),
      eb
        .selectFrom('artifacts')
        .select(({ fn }) => fn.max('artifacts.updated_at').as('at'))
        .where('artifacts.session_id', '=', p.workSessionId)
        .as('artifactAt'),
    ])
    .where('id', '=', p.workSessionId),
)

/** The times of the last change in a work session and of its last checkpoint. */
export async function lastChange(
  reader: Reader,
  workSessionId: string,
): Promise<{ changedAt: Instant; savedAt: Instant }> {
  const found = await reader.first(selectLastChanges, { workSessionId })
  const saved = await reader.first(selectLastCheckpoint, { workSessionId })
  const { startedAt = '', endedAt, taskAt, approachAt, artifactAt } = found ?? {}
  const times = [startedAt, endedAt, taskAt, approachAt, artifactAt].map((at) => at ?? '')
  return { changedAt: times.sort().at(-1) ?? '', savedAt: saved?.at ?? startedAt }
}
