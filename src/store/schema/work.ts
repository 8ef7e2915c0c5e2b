/** The tables of work sessions, tasks, approaches, checkpoints and artifacts. Part of tables.ts. */

import type { Instant } from '../../domain/instant.ts'
import type { ApproachKind } from '../../domain/work/approach-lifecycle.ts'
import type { CheckpointReason } from '../../domain/work/work-session-lifecycle.ts'
import { column, fixed, key } from './column.ts'

export const workTables = {
  /** Work sessions, with the table name and columns of the specification (WK1). */
  ['sessions']: {
    id: key<string>(),
    project_id: fixed<string>(),
    parent_session_id: fixed<string | null>(null),
    started_at: fixed<Instant>(),
    ended_at: column<Instant | null>(null),
    /** null in an ended one means completed. */
    interruption_reason: column<string | null>(null),
    current_phase: column<number | null>(null),
    current_agent_role: column<string | null>(null),
    current_agent_type: column<string | null>(null),
    current_task_id: column<string | null>(null),
    context_summary: column<string | null>(null),
    owner_agent_session_id: column<string | null>(null),
    /** The newest work session resumed from it. */
    resumed_by: column<string | null>(null),
    resume_failures: column<number>(0),
    /** Why it is no longer resumed (RS3). */
    set_aside: column<string | null>(null),
    /** AR3: why an entry in its approaches.json was not imported. */
    file_problem: column<string | null>(null),
    /** JSON: the code and parameters beside `file_problem`. */
    notice: column<string | null>(null),
    /** The last error as JSON: `{code, message, at}`. */
    error: column<string | null>(null),
    /** When a person dismissed it (WK6). */
    dismissed_at: column<Instant | null>(null),
  },

  tasks: {
    project_id: key<string>(),
    id: key<string>(),
    /** null until an agent takes the task (WK4). */
    session_id: column<string | null>(null),
    phase: fixed<number>(),
    task_type: fixed<string>(),
    title: column<string>(),
    description: column<string | null>(null),
    status: column<'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked'>(),
    progress_percent: column<number>(0),
    assigned_to: column<string | null>(null),
    /** A JSON list in the given order. */
    depends_on: column<string>(),
    /** The first unfinished dependency; null unless the task is blocked. */
    blocked_by: column<string | null>(null),
    started_at: column<Instant | null>(null),
    completed_at: column<Instant | null>(null),
    result: column<string | null>(null),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  /** The dependencies of tasks, one row for each entry of `depends_on`. */
  task_dependencies: {
    project_id: key<string>(),
    task_id: key<string>(),
    depends_on: key<string>(),
  },

  approaches: {
    project_id: key<string>(),
    id: key<string>(),
    /** The work session that recorded it; those resumed from it inherit it. */
    session_id: fixed<string>(),
    kind: column<ApproachKind>(),
    /** The kind and number in its id. */
    first_kind: fixed<ApproachKind>(),
    number: fixed<number>(),
    /** The day on which it got its kind. */
    date: column<string>(),
    category: column<string>(),
    description: column<string>(),
    details: column<string | null>(null),
    evidence: column<string | null>(null),
    learnings: column<string>(),
    reusable: column<number>(),
    failure_reason: column<string | null>(null),
    error: column<string | null>(null),
    avoid: column<number>(),
    priority: column<string | null>(null),
    next_to_try: column<number>(),
    note: column<string | null>(null),
    /** A JSON list of earlier versions, oldest first. */
    history: column<string>(),
    recorded_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  /** When and why the state of a work session was saved (CK1). */
  checkpoints: {
    session_id: key<string>(),
    number: key<number>(),
    at: fixed<Instant>(),
    reason: fixed<CheckpointReason>(),
    /** The task, approval or approach that caused it. */
    subject: fixed<string | null>(null),
    error: fixed<string | null>(null),
    /** CK6: the state file at the end of the work session, as JSON; null for other checkpoints. */
    state: fixed<string | null>(null),
  },

  artifacts: {
    session_id: key<string>(),
    name: key<string>(),
    /** The name without case differences, as some disks see it. */
    folded_name: fixed<string>(),
    /** The upload whose parts are its bytes. */
    upload_id: column<string>(),
    size: column<number>(),
    media_type: column<string>(),
    sha256: column<string>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  /** An upload in progress; deleted when the artifact is stored. Abandoned ones are cleaned up. */
  uploads: {
    id: key<string>(),
    created_at: fixed<Instant>(),
  },

  upload_parts: {
    upload_id: key<string>(),
    number: key<number>(),
    /** In base64, which both engines store alike. */
    bytes: fixed<string>(),
  },
}
