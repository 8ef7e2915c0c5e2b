/** A checkpoint that a person (`save-checkpoint`) or an agent (`save-my-checkpoint`) asks for, with what they know about the state. */
import type * as z from 'zod'
import type { Instant } from '../domain/instant.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { Checkpoint, CheckpointRequest } from '../protocol/checkpoint.ts'
import { updateWorkSession, type WorkSessionRow, workSessionOf } from '../store/queries/work-sessions.ts'
import type { Tx } from '../store/store.ts'
import { noteCheckpoint } from './note-checkpoint.ts'

type Asked = z.output<typeof CheckpointRequest>

/** The use case names the project's stream. */
export async function saveAsAsked(tx: Tx, row: WorkSessionRow, asked: Asked, now: Instant): Promise<Checkpoint> {
  const error = asked.error ? { ...asked.error, at: now } : null
  const changed: WorkSessionRow = {
    ...row,
    context_summary: asked.contextSummary ?? row.context_summary,
    current_phase: asked.currentPhase ?? row.current_phase,
    error: error ? JSON.stringify(error) : row.error,
  }
  const isSame = (Object.keys(row) as (keyof WorkSessionRow)[]).every((column) => row[column] === changed[column])
  if (!isSame) {
    await tx.write(updateWorkSession, changed)
    const told = { type: 'work-session-changed', data: { workSession: workSessionOf(changed) } } as const
    tx.append(projectStream(row.project_id), told)
  }
  const place = { projectId: row.project_id, workSessionId: row.id }
  return noteCheckpoint(tx, { ...place, reason: error ? 'error' : 'asked', error, now })
}
