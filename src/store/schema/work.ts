/** The tables of approaches, checkpoints and artifacts. Part of tables.ts. */

import type { Instant } from '../../domain/instant.ts'
import type { ApproachKind } from '../../domain/work/approach-lifecycle.ts'
import type { CheckpointReason } from '../../domain/work/work-session-lifecycle.ts'
import { column, fixed, key } from './column.ts'

export const workTables = {
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
