/**
 * The end of a work session, whoever brings it about: a person (`end-work-session`), the end of the agent session that drove
 * it (AS9), a project that is deleted. Told in its project and at home.
 */
import type { Instant } from '../domain/instant.ts'
import { home, projectStream } from '../domain/stream/name.ts'
import {
  decide,
  workSessionOf as standing,
  type WorkSessionDecision,
  type WorkSessionEvent,
} from '../domain/work-session/lifecycle.ts'
import { updateWorkSession, type WorkSessionRow, workSessionOf } from '../store/queries/work-sessions.ts'
import type { Tx } from '../store/store.ts'

interface Finished {
  readonly row: WorkSessionRow
  readonly decision: WorkSessionDecision
}

/** The use case names `home` and the project's stream. What was refused or is so already changes nothing. */
export async function finishWorkSession(tx: Tx, row: WorkSessionRow, event: WorkSessionEvent, now: Instant): Promise<Finished> {
  const decision = decide(now, standing(row.id, row.ended_at, row.interruption_reason), event)
  if (decision.outcome !== 'changed') return { row, decision }
  const { endedAt, interruptionReason } = decision.workSession
  const ended = { ...row, ended_at: endedAt, interruption_reason: interruptionReason }
  await tx.write(updateWorkSession, ended)
  const told = { type: 'work-session-ended', data: { workSession: workSessionOf(ended) } } as const
  tx.append(projectStream(row.project_id), told, [home])
  return { row: ended, decision }
}
