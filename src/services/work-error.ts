/** What went wrong in a work session, kept in it and saved with everything (CK1, CK2). */
import type { WorkError } from '../domain/work-session/checkpoint.ts'
import { updateWorkSession, type WorkSessionRow } from '../store/queries/work-sessions.ts'
import type { Tx } from '../store/store.ts'
import { noteCheckpoint } from './note-checkpoint.ts'

/** The use case names the project's stream. The error is in the row of whoever reads it next; who holds the row gets it back. */
export async function keepError(tx: Tx, row: WorkSessionRow, error: WorkError, subject?: string): Promise<WorkSessionRow> {
  const changed = { ...row, error: JSON.stringify(error) }
  await tx.write(updateWorkSession, changed)
  const place = { projectId: row.project_id, workSessionId: row.id }
  await noteCheckpoint(tx, { ...place, reason: 'error', ...(subject !== undefined && { subject }), error, now: error.at })
  return changed
}
