/** What the files of a work session say (CK2): the layout of docs/spec/background/continuity.md, to the letter, out of its rows. */
import type { Instant } from '../domain/instant.ts'
import { sorted } from '../domain/work-session/checkpoint.ts'
import type { ApproachesFile } from '../protocol/files/approaches-file.ts'
import { schemaVersion } from '../protocol/files/schema-version.ts'
import type { RemainingTasksFile, StateCheckpoint } from '../protocol/files/state-checkpoint.ts'
import type { WorkSessionFile } from '../protocol/files/work-session-file.ts'
import { approachFrom } from '../store/queries/approaches.ts'
import type { WorkSessionRows } from '../store/queries/work-session-rows.ts'
import { workSessionOf } from '../store/queries/work-sessions.ts'
import type { Tables } from '../store/tables.ts'

const newestOf = (first: Instant, ...others: readonly (Instant | null)[]): Instant =>
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

export const remainingTasksFile = ({ workSession, tasks }: WorkSessionRows): RemainingTasksFile => ({
  schema_version: schemaVersion,
  session_id: workSession.id,
  last_updated: newestOf(workSession.started_at, workSession.ended_at, ...tasks.map(({ updated_at }) => updated_at)),
  remaining_tasks: sorted(tasks).remaining.map(({ id }) => ({ task_id: id, status: 'pending' })),
})

/** With those it has inherited, so that one folder is enough to go on (AR2). */
export function approachesFile({ workSession }: WorkSessionRows, approaches: readonly Tables['approaches'][]): ApproachesFile {
  const all = approaches.map(approachFrom)
  const of = (kind: 'verified' | 'failed' | 'untried') => all.filter((each) => each.kind === kind)
  return {
    schema_version: schemaVersion,
    session_id: workSession.id,
    last_updated: newestOf(workSession.started_at, ...approaches.map(({ updated_at }) => updated_at)),
    verified: of('verified').map(({ id, date, category, description, details, evidence, learnings, reusable }) => ({
      ...{ id, date, category, description, details, evidence },
      learnings: [...learnings],
      reusable,
    })),
    failed: of('failed').map(({ id, date, category, description, details, failureReason, error, learnings, avoid }) => ({
      ...{ id, date, category, description, details, failure_reason: failureReason, error },
      learnings: [...learnings],
      avoid,
    })),
    untried: of('untried').map(({ id, category, description, details, priority, nextToTry, note }) => ({
      ...{ id, category, description, details, priority, next_to_try: nextToTry },
      ...(note !== null && { note }),
    })),
  }
}

const withoutProcesses = ({
  asked_by_agent_session_id: _,
  ask_id: __,
  launch_id: ___,
  turn_id: ____,
  user_session_id: _____,
  likeness: ______,
  imported_decider: _______,
  told_to: ________,
  ...approval
}: Tables['human_approvals']): WorkSessionFile['approvals'][number] => approval

/** Who drives it and who waits for an approval are processes of this moment; a store that is built anew has none. */
export function workSessionFile(rows: WorkSessionRows): WorkSessionFile {
  const { owner_agent_session_id: _, ...workSession } = rows.workSession
  return {
    schema_version: schemaVersion,
    work_session: workSession,
    tasks: [...rows.tasks],
    approvals: rows.approvals.map(withoutProcesses),
    approaches: [...rows.approaches],
    checkpoints: [...rows.checkpoints],
    artifacts: rows.artifacts.map(({ session_id: __, folded_name: ___, upload_id: ____, ...facts }) => facts),
  }
}
