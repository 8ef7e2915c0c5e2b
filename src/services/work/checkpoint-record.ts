/**
 * Records that a work session's state is saved, and why (CK1): the row and its event. The mirror writes the files. The final
 * state is stored in the row (CK6), because the tasks may move to another work session.
 */
import type { Instant } from '../../domain/instant.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { CheckpointReason, WorkError } from '../../domain/work/work-session-lifecycle.ts'
import type { Checkpoint } from '../../protocol/work/checkpoint.ts'
import type { Tx } from '../../store/store.ts'
import { checkpointOf, selectLastCheckpoint, stateCheckpoint, workSessionRows } from '../../store/work/work-session-state.ts'

interface NewCheckpoint {
  readonly projectId: string
  readonly workSessionId: string
  readonly reason: CheckpointReason
  readonly subject?: string
  readonly error?: WorkError | null
  readonly now: Instant
}

/** The calling use case locks the project's stream. */
export async function recordCheckpoint(tx: Tx, noted: NewCheckpoint): Promise<Checkpoint> {
  const { projectId, workSessionId, reason, subject = null, error = null, now } = noted
  const last = await tx.first(selectLastCheckpoint, { workSessionId })
  const number = (last?.number ?? 0) + 1
  const kept = error && JSON.stringify(error)
  const row = { session_id: workSessionId, number, at: now, reason, subject, error: kept, state: null }
  const rows = reason === 'ended' ? await workSessionRows(tx, workSessionId) : undefined
  const state = rows ? JSON.stringify(stateCheckpoint({ ...rows, checkpoints: [...rows.checkpoints, row] })) : null
  await tx.insert('checkpoints', { ...row, state })
  const checkpoint = checkpointOf(row)
  tx.append(projectStream(projectId), { type: 'checkpoint-saved', data: { workSessionId, checkpoint } })
  return checkpoint
}
