/**
 * Builds rows from a work session's files (CK4): from `work_session.json`, or else from what the
 * other files contain.
 */

import type { Instant } from '../../domain/instant.ts'
import { contentOf, dayOf, parseApproachId } from '../../domain/work/approach-lifecycle.ts'
import type { ReadApproach, ReadWorkSession } from '../../protocol/work/read-work-session.ts'
import type { ApprovalRow } from '../../store/approvals/approvals.ts'
import { newRow } from '../../store/rows.ts'
import type { Tables } from '../../store/schema/tables.ts'
import { approachColumns } from '../../store/work/approaches.ts'
import type { TaskRow } from '../../store/work/tasks.ts'
import type { WorkSessionRow } from '../../store/work/work-sessions.ts'

/** Work that was running is interrupted and can be resumed. */
const storeLost = 'store_lost'

interface RestoredRows {
  readonly workSession: WorkSessionRow
  readonly tasks: readonly TaskRow[]
  readonly approvals: readonly ApprovalRow[]
  readonly approaches: readonly Tables['approaches'][]
  readonly checkpoints: readonly Tables['checkpoints'][]
  /** Whether it had ended when its files were written. */
  readonly wasOver: boolean
  /** Approved tasks without an approval row. */
  readonly approved: readonly string[]
}

/** `by` restores them and is recorded as the decider. */
export function restoredRows(files: ReadWorkSession, by: string): RestoredRows {
  const { rows, checkpoint } = files
  // SE5: rows always belong to the work session being restored.
  const here = { project_id: checkpoint.project_id, session_id: checkpoint.session_id }
  const own = {
    project_id: checkpoint.project_id,
    owner_agent_session_id: null,
    file_problem: null,
    notice: null,
  }
  const workSession: WorkSessionRow = rows ? { ...rows.work_session, ...own } : workSessionOf(files)
  const isOver = workSession.ended_at !== null
  const tasks = allTasks(
    [...(rows?.tasks ?? []), ...(rows?.since.tasks ?? [])].map((each) => ({ ...each, ...here })),
    // CK10: with rows, what only the checkpoint has completed is of the line before it, and in the
    // files there.
    tasksOf(files).filter(
      ({ status }) => !rows?.work_session.parent_session_id || status !== 'completed',
    ),
  )
  return {
    workSession: isOver
      ? workSession
      : { ...workSession, ended_at: checkpoint.timestamp, interruption_reason: storeLost },
    tasks,
    wasOver: isOver,
    approved: approvedWithoutRow(files).filter((taskId) => tasks.some(({ id }) => id === taskId)),
    approvals:
      rows?.approvals.map((each) => ({
        ...each,
        ...withoutAsker,
        ...redecided(each, by),
        ...here,
      })) ?? [],
    approaches: [
      ...(rows?.approaches.map((each) => ({ ...each, ...here })) ?? []),
      ...inherited(files),
    ],
    checkpoints:
      rows?.checkpoints.map((each) => ({ ...each, session_id: here.session_id, state: null })) ??
      [],
  }
}

/** The rows, plus tasks that only the checkpoint knows. */
function allTasks(rows: readonly TaskRow[], others: readonly TaskRow[]): TaskRow[] {
  const ids = new Set(rows.map(({ id }) => id))
  return [...rows, ...others.filter(({ id }) => !ids.has(id))]
}

/** CK2: approved tasks without an approval row. */
function approvedWithoutRow({ checkpoint, rows }: ReadWorkSession): string[] {
  const approvedIds = new Set(
    rows?.approvals.filter(({ status }) => status === 'approved').map(({ task_id }) => task_id),
  )
  return checkpoint.completed_tasks.flatMap(({ task_id, status }) =>
    status === 'approved' && !approvedIds.has(task_id) ? [task_id] : [],
  )
}

const withoutAsker = {
  asked_by_agent_session_id: null,
  told_to: null,
  conversation_key: null,
  ask_id: null,
  launch_id: null,
  turn_id: null,
  user_session_id: null,
  likeness: null,
  question: null,
  answer: null,
  held_by: null,
  held_until: null,
  held_status: null,
  held_decision: null,
} satisfies Partial<ApprovalRow>

/** AP7: records `by` as the decider and the files' decider as imported. */
function redecided(
  {
    status,
    decided_by,
    revision_history,
  }: Pick<ApprovalRow, 'status' | 'decided_by' | 'revision_history'>,
  by: string,
): Pick<ApprovalRow, 'decided_by' | 'imported_decider' | 'revision_history'> {
  const isDecided = status !== 'pending'
  const earlier = (JSON.parse(revision_history) as unknown[]).map((each) =>
    isRevision(each) ? { ...each, decidedBy: by, imported: { decidedBy: each.decidedBy } } : each,
  )
  return {
    decided_by: isDecided ? by : null,
    imported_decider: isDecided ? (decided_by ?? '') : null,
    revision_history: JSON.stringify(earlier),
  }
}

const isRevision = (each: unknown): each is { decidedBy: unknown } =>
  typeof each === 'object' && each !== null && 'decidedBy' in each

function workSessionOf({ checkpoint }: ReadWorkSession): WorkSessionRow {
  const { current_state: state, error } = checkpoint
  const reason = checkpoint.interruption_reason ?? null
  return newRow('sessions', {
    id: checkpoint.session_id,
    project_id: checkpoint.project_id,
    started_at: startOf(checkpoint.session_id) ?? checkpoint.timestamp,
    ended_at: reason === null ? null : checkpoint.timestamp,
    interruption_reason: reason,
    current_phase: state?.phase ?? null,
    current_agent_role: state?.active_agent?.role ?? null,
    current_agent_type: state?.active_agent?.type ?? null,
    current_task_id: state?.active_task?.task_id ?? null,
    context_summary: checkpoint.context_summary ?? null,
    error: error ? JSON.stringify(error) : null,
  })
}

/** ID1: a work session's id holds its start time. */
function startOf(workSessionId: string): Instant | undefined {
  const [, year, month, day, hour, minute, second] =
    /^sess_(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_/.exec(workSessionId) ?? []
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  return year === undefined || Number.isNaN(Date.parse(at)) ? undefined : at
}

function tasksOf({ checkpoint }: ReadWorkSession): TaskRow[] {
  const { timestamp, current_state: state, project_id, session_id } = checkpoint
  const active = state?.active_task
  const {
    completed_tasks: completed,
    pending_tasks: pending,
    remaining_tasks: remaining,
  } = checkpoint
  return [...completed, ...pending, ...remaining].map(
    ({ task_id: id, status, progress, blocked_by }) => {
      const isActive = active?.task_id === id
      const stands = statusNames[status] ?? 'pending'
      const { phase, type } = partsOf(id)
      return {
        project_id,
        id,
        session_id,
        phase: phase ?? state?.phase ?? 0,
        task_type: type ?? 'task',
        title: (isActive && active.name) || id,
        description: null,
        status: stands === 'blocked' && !blocked_by ? 'pending' : stands,
        progress_percent:
          stands === 'completed'
            ? 100
            : Math.round(progress ?? (isActive ? (active.progress_percent ?? 0) : 0)),
        assigned_to: isActive ? (state?.active_agent?.agent_id ?? null) : null,
        depends_on: JSON.stringify(blocked_by ? [blocked_by] : []),
        blocked_by: stands === 'blocked' ? (blocked_by ?? null) : null,
        started_at: stands === 'in_progress' || stands === 'completed' ? timestamp : null,
        completed_at: stands === 'completed' ? timestamp : null,
        result: null,
        created_at: timestamp,
        updated_at: timestamp,
      }
    },
  )
}

const statusNames: Readonly<Record<string, TaskRow['status']>> = {
  approved: 'completed',
  completed: 'completed',
  in_progress: 'in_progress',
  blocked: 'blocked',
  failed: 'failed',
}

/** ID1: a task's id holds its phase and type. */
function partsOf(taskId: string): { phase?: number; type?: string } {
  const [, phase, type] = /^task_p(\d{1,7})_([a-z0-9_]+)_\d+$/.exec(taskId) ?? []
  return {
    ...(phase !== undefined && { phase: Number(phase) }),
    ...(type !== undefined && { type }),
  }
}

/** Approaches that are not in its own rows: an ancestor's, or all if there are no rows. */
function inherited({ approaches, rows, checkpoint }: ReadWorkSession): Tables['approaches'][] {
  const own = new Set(rows?.approaches.map(({ id }) => id))
  return (approaches ?? [])
    .filter(({ id }) => !own.has(id))
    .map((each) => approachRow(each, checkpoint))
}

function approachRow(
  read: ReadApproach,
  { project_id, session_id, timestamp }: ReadWorkSession['checkpoint'],
): Tables['approaches'] {
  const { kind, id, category, description } = read
  const counted = parseApproachId(id)
  const at = read.date ? `${read.date}T00:00:00.000Z` : timestamp
  const content = contentOf(kind, {
    category,
    description,
    learnings: read.learnings ?? [],
    details: read.details ?? null,
    evidence: read.evidence ?? null,
    reusable: read.reusable ?? undefined,
    failureReason: read.failure_reason ?? null,
    error: read.error ?? null,
    avoid: read.avoid ?? undefined,
    priority: read.priority ?? undefined,
    nextToTry: read.next_to_try ?? undefined,
    note: read.note ?? null,
  })
  return {
    project_id,
    id,
    session_id,
    first_kind: counted?.kind ?? kind,
    number: counted?.number ?? 0,
    ...approachColumns({ id, kind, date: read.date ?? dayOf(timestamp), ...content, history: [] }),
    recorded_at: at,
    updated_at: at,
  }
}
