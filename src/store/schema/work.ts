/** The tables of approaches, checkpoints and artifacts. Part of tables.ts. */

import type { Instant } from '../../domain/instant.ts'
import type { ApproachKind } from '../../domain/work/approach-lifecycle.ts'
import type { CheckpointReason } from '../../domain/work/work-session-lifecycle.ts'

export interface ApproachesTable {
  project_id: string
  id: string
  /** The work session that recorded it; those resumed from it inherit it. */
  session_id: string
  kind: ApproachKind
  /** The kind and number in its id. */
  first_kind: ApproachKind
  number: number
  /** The day on which it got its kind. */
  date: string
  category: string
  description: string
  details: string | null
  evidence: string | null
  learnings: string
  reusable: number
  failure_reason: string | null
  error: string | null
  avoid: number
  priority: string | null
  next_to_try: number
  note: string | null
  /** A JSON list of earlier versions, oldest first. */
  history: string
  recorded_at: Instant
  updated_at: Instant
}

/** When and why the state of a work session was saved (CK1). */
export interface CheckpointsTable {
  session_id: string
  number: number
  at: Instant
  reason: CheckpointReason
  /** The task, approval or approach that caused it. */
  subject: string | null
  error: string | null
  /** CK6: the state file at the end of the work session, as JSON; null for other checkpoints. */
  state: string | null
}

export interface ArtifactsTable {
  session_id: string
  name: string
  /** The name without case differences, as some disks see it. */
  folded_name: string
  /** The upload whose parts are its bytes. */
  upload_id: string
  size: number
  media_type: string
  sha256: string
  created_at: Instant
  updated_at: Instant
}

/** An upload in progress; deleted when the artifact is stored. Abandoned ones are cleaned up. */
export interface UploadsTable {
  id: string
  created_at: Instant
}

export interface UploadPartsTable {
  upload_id: string
  number: number
  /** In base64, which both engines store alike. */
  bytes: string
}
