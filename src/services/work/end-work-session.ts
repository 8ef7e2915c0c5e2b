/** Begins, ends and dismisses work sessions. */
import type * as z from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { workSessionId } from '../../domain/ids.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import {
  decideWorkSession,
  endAsAsked,
  errorOf,
  workSessionOf as standing,
  type WorkSessionDecision,
  type WorkSessionEvent,
} from '../../domain/work/work-session-lifecycle.ts'
import type { WorkSession, WorkSessionDraft, WorkSessionEnd } from '../../protocol/work/work-session.ts'
import { newRow } from '../../store/rows.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { noSuchProject, noSuchWorkSession } from '../refusals.ts'
import { recordCheckpoint } from './save-checkpoint.ts'

/**
 * Ends a work session: on request (`end-work-session`), with its agent session (AS9), or with its project. Saves a final
 * checkpoint (CK1) and announces the end.
 */
interface Finished {
  readonly row: WorkSessionRow
  readonly decision: WorkSessionDecision
}

/** The calling use case locks `home` and the project's stream. A refused or repeated end changes nothing. */
export async function finishWorkSession(tx: Tx, row: WorkSessionRow, event: WorkSessionEvent, now: Instant): Promise<Finished> {
  const decision = decideWorkSession(now, standing(row.id, row.ended_at, row.interruption_reason), event)
  if (decision.outcome !== 'changed') return { row, decision }
  const { endedAt, interruptionReason } = decision.workSession
  const error = interruptionReason === null ? null : errorOf(interruptionReason, now)
  const ended = {
    ...row,
    ended_at: endedAt,
    interruption_reason: interruptionReason,
    error: error ? JSON.stringify(error) : row.error,
  }
  await tx.update('sessions', ended)
  await recordCheckpoint(tx, { projectId: row.project_id, workSessionId: row.id, reason: 'ended', error, now })
  const ending = { type: 'work-session-ended', data: { workSession: workSessionOf(ended) } } as const
  tx.append(projectStream(row.project_id), ending, [home])
  return { row: ended, decision }
}

type EndInput = z.output<typeof WorkSessionEnd> & { projectId: string; workSessionId: string }

/**
 * Ends a work session at a person's or script's request: completed, or interrupted with their reason (WK4). The same end twice
 * changes nothing.
 */
export const endWorkSession = defineUseCase('end-work-session', {
  streams: ({ projectId }: EndInput) => [home, projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, ...asked }: EndInput, { now }): Promise<WorkSession> => {
    const current = await existingWorkSession(tx, { projectId, workSessionId })
    const { row, decision } = await finishWorkSession(tx, current, endAsAsked(asked), now)
    if (decision.outcome !== 'refused') return workSessionOf(row)
    if (decision.refusal.code === 'work_session_completed')
      throw new Refusal('work_session_completed', undefined, { workSessionId })
    const { state } = decision.refusal
    throw new Refusal('wrong_state', refusalText('workCannotComplete', { state }), {
      state,
      wanted: 'completed',
    })
  },
})

/** Dismisses interrupted work from reminders (WK6). It can still be resumed. A repeated request changes nothing. */
export const dismissWorkSession = defineUseCase('dismiss-work-session', {
  streams: ({ projectId }: { projectId: string; workSessionId: string }) => [home, projectStream(projectId)],
  run: async (tx, place, { now }): Promise<WorkSession> => {
    const row = await existingWorkSession(tx, place)
    const { state } = workSessionOf(row)
    if (state !== 'interrupted')
      throw new Refusal('wrong_state', refusalText('workNotInterrupted', { state }), { state, wanted: 'interrupted' })
    if (row.dismissed_at !== null) return workSessionOf(row)
    const dismissed = { ...row, dismissed_at: now }
    await tx.update('sessions', dismissed)
    const workSession = workSessionOf(dismissed)
    tx.append(projectStream(row.project_id), { type: 'work-session-changed', data: { workSession } }, [home])
    return workSession
  },
})

type Input = z.output<typeof WorkSessionDraft> & { projectId: string }

/**
 * Creates a work session by hand (WK4). It has no owner until an agent takes one of its tasks, and is ended through `…/end`
 * only.
 */
export const createWorkSession = defineUseCase('create-work-session', {
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, ...draft }: Input, context): Promise<WorkSession> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const beginning = {
      project_id: projectId,
      context_summary: draft.contextSummary ?? null,
      current_phase: draft.phase ?? null,
      current_agent_role: draft.agentRole ?? null,
      current_agent_type: draft.agentType ?? null,
    }
    return workSessionOf(await beginWorkSession(tx, beginning, context))
  },
})

// Finds and creates work sessions, and sets which agent session owns one.

interface Place {
  readonly projectId: string
  readonly workSessionId: string
}

/** A work session of a project. Another project's is not found. */
export async function existingWorkSession(reader: Reader, { projectId, workSessionId }: Place): Promise<WorkSessionRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('sessions', { id: workSessionId })
  if (row?.project_id !== projectId) throw noSuchWorkSession(workSessionId)
  return row
}

/** The random part has two thousand million values a second, so this many collisions mean broken randomness. */
const maxIdTries = 10

type Beginning = Pick<WorkSessionRow, 'project_id'> & Partial<Omit<WorkSessionRow, 'id' | 'started_at' | 'ended_at'>>

/**
 * Creates a work session for a person (`create-work-session`) or an agent that starts work (WK4), and announces it. The calling
 * use case locks `home` and the project's stream.
 */
export async function beginWorkSession(tx: Tx, beginning: Beginning, context: Context): Promise<WorkSessionRow> {
  const row = newRow('sessions', { ...beginning, id: await freeId(tx, context), started_at: context.now })
  await tx.insert('sessions', row)
  const event = { type: 'work-session-started', data: { workSession: workSessionOf(row) } } as const
  tx.append(projectStream(row.project_id), event, [home])
  return row
}

async function freeId(reader: Reader, { now, random }: Context): Promise<string> {
  for (let tries = 0; tries < maxIdTries; tries++) {
    const id = workSessionId(now, random.text)
    if (!(await reader.row('sessions', { id }))) return id
  }
  throw new Refusal('internal', refusalText('noFreeWorkId', { tries: maxIdTries }))
}

/**
 * Makes an agent session the owner of a work session (WK4), which then ends with it (AS9), unless another live agent session
 * owns it.
 */
export async function takeOwnership(tx: Tx, workSessionId: string, agentSessionId: string): Promise<void> {
  const row = await tx.row('sessions', { id: workSessionId })
  if (!row || row.ended_at !== null || row.owner_agent_session_id === agentSessionId) return
  const owner = row.owner_agent_session_id && (await tx.row('agent_sessions', { id: row.owner_agent_session_id }))
  if (owner && owner.state !== 'ended') return
  await tx.update('sessions', { ...row, owner_agent_session_id: agentSessionId })
}
