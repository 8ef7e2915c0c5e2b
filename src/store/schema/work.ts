/** The tables that let work go on: what was tried, when its state was saved, what it made. Parts of tables.ts. */

import type { Instant } from '../../domain/instant.ts'
import type { ApproachKind } from '../../domain/work/approach-lifecycle.ts'
import type { CheckpointReason } from '../../domain/work/checkpoint.ts'

export interface ApproachesTable {
  project_id: string
  id: string
  /** Where it was recorded; work sessions that are resumed from there have it too. */
  session_id: string
  kind: ApproachKind
  /** The kind that its id tells of, and the number in it. */
  first_kind: ApproachKind
  number: number
  /** The day on which it became what it is. */
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
  /** A JSON list, oldest first: what it was before. */
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
  /** Which task, approval or approach it was about. */
  subject: string | null
  error: string | null
  /** CK6: the state file as the work session ended, as JSON; null of one that it did not end with. */
  state: string | null
}

export interface ArtifactsTable {
  session_id: string
  name: string
  /** The name as a disk sees it that does not tell A from a. */
  folded_name: string
  /** Whose parts are its bytes. */
  upload_id: string
  size: number
  media_type: string
  sha256: string
  created_at: Instant
  updated_at: Instant
}

/** A row while bytes arrive; gone when an artifact has them. What stays behind is swept away. */
export interface UploadsTable {
  id: string
  created_at: Instant
}

export interface UploadPartsTable {
  upload_id: string
  number: number
  /** In base64: one form that both engines store alike. */
  bytes: string
}
