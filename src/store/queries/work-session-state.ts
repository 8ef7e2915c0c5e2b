/** The state of a work session as its checkpoint file says it (CK2): made from its rows, in the commit that ends it and whenever a running one is mirrored. */
import type { Instant } from '../../domain/instant.ts'
import { sorted } from '../../domain/work-session/checkpoint.ts'
import { schemaVersion } from '../../protocol/files/schema-version.ts'
import type { StateCheckpoint } from '../../protocol/files/state-checkpoint.ts'
import type { WorkSessionFile } from '../../protocol/files/work-session-file.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import { selectTask } from './tasks.ts'
import type { WorkSessionRows } from './work-session-rows.ts'
import { descendantsOf, workSessionOf } from './work-sessions.ts'

export const newestOf = (first: Instant, ...others: readonly (Instant | null)[]): Instant =>
  others.reduce<Instant>((newest, each) => (each !== null && each > newest ? each : newest), first)

export function stateCheckpoint(rows: WorkSessionRows): StateCheckpoint {
  const { workSession, tasks, approvals, approaches, checkpoints, artifacts } = rows
  const { completed, pending, remaining } = sorted(tasks)
  const approved = new Set(approvals.filter(({ status }) => status === 'approved').map(({ task_id }) => task_id))
  const { error } = workSessionOf(workSession)
  const times = [tasks, approaches, artifacts].flatMap((list) => list.map(({ updated_at }) => updated_at))
  return {
    schema_version: schemaVersion,
    project_id: workSession.project_id,
    session_id: workSession.id,
    timestamp: newestOf(workSession.started_at, workSession.ended_at, ...times, ...checkpoints.map(({ at }) => at)),
    interruption_reason: workSession.interruption_reason,
    current_state: {
      phase: workSession.current_phase,
      active_agent: activeAgent(rows),
      active_task: activeTask(rows),
    },
    completed_tasks: completed.map(({ id }) => ({ task_id: id, status: approved.has(id) ? 'approved' : 'completed' })),
    pending_tasks: pending.map(({ id, status, progress_percent, blocked_by }) =>
      status === 'blocked'
        ? { task_id: id, status, blocked_by }
        : { task_id: id, status: 'in_progress', progress: progress_percent },
    ),
    remaining_tasks: remaining.map(({ id }) => ({ task_id: id, status: 'pending' })),
    context_summary: workSession.context_summary,
    ...(error && { error }),
  }
}

/** Whoever drives it, or was to do the task it is at. */
function activeAgent({ workSession, ownerAgentId, tasks }: WorkSessionRows): StateCheckpoint['current_state']['active_agent'] {
  const { current_agent_role: role, current_agent_type: type, current_task_id } = workSession
  const agent_id = ownerAgentId ?? tasks.find(({ id }) => id === current_task_id)?.assigned_to ?? null
  return role === null && type === null && agent_id === null ? null : { role, type, agent_id }
}

function activeTask({ workSession, tasks }: WorkSessionRows): StateCheckpoint['current_state']['active_task'] {
  const task = tasks.find(({ id }) => id === workSession.current_task_id)
  return task ? { task_id: task.id, name: task.title, progress_percent: task.progress_percent } : null
}

/** CK6: how it stood in the commit that ended it; undefined while it runs, and of one that an older version ended. */
export function endState({ workSession, checkpoints }: WorkSessionRows): StateCheckpoint | undefined {
  const kept = checkpoints.findLast(({ state }) => state !== null)?.state ?? null
  return workSession.ended_at === null || kept === null ? undefined : (JSON.parse(kept) as StateCheckpoint)
}

/** What its file says: how it ended, or how it stands. */
export const stateOf = (rows: WorkSessionRows): StateCheckpoint => endState(rows) ?? stateCheckpoint(rows)

/** CK6: what became of it since: where the work was completed, and the tasks that went over into others, as they stand now. */
export async function sinceItEnded(reader: Reader, rows: WorkSessionRows): Promise<WorkSessionFile['since']> {
  const { id, project_id: projectId, ended_at } = rows.workSession
  const descendants = ended_at === null ? [] : await descendantsOf(reader, id)
  const completed = descendants.findLast((each) => each.ended_at !== null && each.interruption_reason === null)
  const { completed_tasks = [], pending_tasks = [], remaining_tasks = [] } = endState(rows) ?? {}
  const here = new Set(rows.tasks.map((task) => task.id))
  const gone: Tables['tasks'][] = []
  for (const { task_id } of [...completed_tasks, ...pending_tasks, ...remaining_tasks]) {
    const task = here.has(task_id) ? undefined : await reader.first(selectTask, { projectId, id: task_id })
    if (task) gone.push(task)
  }
  return { completed_in: completed?.id ?? null, tasks: gone }
}
