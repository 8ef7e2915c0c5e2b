/**
 * Ends a work session: on request (`end-work-session`), with its agent session (AS9), or with its project. Saves a final
 * checkpoint (CK1) and announces the end.
 */
import type { Instant } from '../../domain/instant.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { errorOf } from '../../domain/work/checkpoint.ts'
import {
  decide,
  workSessionOf as standing,
  type WorkSessionDecision,
  type WorkSessionEvent,
} from '../../domain/work/work-session-lifecycle.ts'
import type { Tx } from '../../store/store.ts'
import { updateWorkSession, type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { recordCheckpoint } from './checkpoint-record.ts'

interface Finished {
  readonly row: WorkSessionRow
  readonly decision: WorkSessionDecision
}

/** The calling use case locks `home` and the project's stream. A refused or repeated end changes nothing. */
export async function finishWorkSession(tx: Tx, row: WorkSessionRow, event: WorkSessionEvent, now: Instant): Promise<Finished> {
  const decision = decide(now, standing(row.id, row.ended_at, row.interruption_reason), event)
  if (decision.outcome !== 'changed') return { row, decision }
  const { endedAt, interruptionReason } = decision.workSession
  const error = interruptionReason === null ? null : errorOf(interruptionReason, now)
  const ended = {
    ...row,
    ended_at: endedAt,
    interruption_reason: interruptionReason,
    error: error ? JSON.stringify(error) : row.error,
  }
  await tx.write(updateWorkSession, ended)
  await recordCheckpoint(tx, { projectId: row.project_id, workSessionId: row.id, reason: 'ended', error, now })
  const told = { type: 'work-session-ended', data: { workSession: workSessionOf(ended) } } as const
  tx.append(projectStream(row.project_id), told, [home])
  return { row: ended, decision }
}
