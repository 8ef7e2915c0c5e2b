/** Begins, ends and dismisses work sessions, and saves their checkpoints. */
import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { workSessionId } from '../../domain/ids.ts'
import type { Instant } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import {
  type CheckpointReason,
  decideWorkSession,
  endAsAsked,
  errorOf,
  isDue,
  workSessionOf as standing,
  type WorkError,
  type WorkSessionDecision,
  type WorkSessionEvent,
} from '../../domain/work/work-session-lifecycle.ts'
import type { Checkpoint, CheckpointRequest } from '../../protocol/work/checkpoint.ts'
import type {
  WorkSession,
  WorkSessionDraft,
  WorkSessionEnd,
} from '../../protocol/work/work-session.ts'
import { activityOf } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { newRow } from '../../store/rows.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import {
  checkpointOf,
  lastChange,
  selectLastCheckpoint,
  stateCheckpoint,
  workSessionRows,
} from '../../store/work/work-session-state.ts'
import { type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { settingsOf } from '../projects/project-record.ts'
import { noSuchProject, noSuchWorkSession, noWorkSession } from '../refusals.ts'

/**
 * Ends a work session: on request, with its agent session (AS9) or its project. Saves a final
 * checkpoint (CK1).
 */
interface Finished {
  readonly row: WorkSessionRow
  readonly decision: WorkSessionDecision
}

/** A refused or repeated end changes nothing. */
export async function finishWorkSession(
  tx: Tx,
  row: WorkSessionRow,
  event: WorkSessionEvent,
  now: Instant,
): Promise<Finished> {
  tx.lock(projectStream(row.project_id))
  const decision = decideWorkSession(
    now,
    standing(row.id, row.ended_at, row.interruption_reason),
    event,
  )
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
  await recordCheckpoint(tx, {
    projectId: row.project_id,
    workSessionId: row.id,
    reason: 'ended',
    error,
    now,
  })
  const ending = {
    type: 'work-session-ended',
    data: { workSession: workSessionOf(ended) },
  } as const
  tx.append(projectStream(row.project_id), ending, [home])
  return { row: ended, decision }
}

type EndInput = z.output<typeof WorkSessionEnd> & { projectId: string; workSessionId: string }

/**
 * Ends a work session on request: completed, or interrupted with a reason (WK4). The same end twice
 * changes nothing.
 */
export const endWorkSession = defineUseCase('end-work-session', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: EndInput) => [home, projectStream(projectId)],
  run: async (
    tx,
    { projectId, workSessionId, ...asked }: EndInput,
    { now },
  ): Promise<WorkSession> => {
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

/**
 * Dismisses interrupted work from reminders (WK6). It can still be resumed. A repeated request
 * changes nothing.
 */
export const dismissWorkSession = defineUseCase('dismiss-work-session', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: { projectId: string; workSessionId: string }) => [
    home,
    projectStream(projectId),
  ],
  run: async (tx, place, { now }): Promise<WorkSession> => {
    const row = await existingWorkSession(tx, place)
    const { state } = workSessionOf(row)
    if (state !== 'interrupted')
      throw new Refusal('wrong_state', refusalText('workNotInterrupted', { state }), {
        state,
        wanted: 'interrupted',
      })
    if (row.dismissed_at !== null) return workSessionOf(row)
    const dismissed = { ...row, dismissed_at: now }
    await tx.update('sessions', dismissed)
    const workSession = workSessionOf(dismissed)
    tx.append(
      projectStream(row.project_id),
      { type: 'work-session-changed', data: { workSession } },
      [home],
    )
    return workSession
  },
})

type Input = z.output<typeof WorkSessionDraft> & { projectId: string }

/**
 * Creates a work session by hand (WK4), without an owner until an agent takes one of its tasks.
 * Only `…/end` ends it.
 */
export const createWorkSession = defineUseCase('create-work-session', {
  scope: 'write',
  on: 'project',
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

interface WorkSessionKey {
  readonly projectId: string
  readonly workSessionId: string
}

/** A work session of a project. Another project's is not found. */
export async function existingWorkSession(
  reader: Reader,
  { projectId, workSessionId }: WorkSessionKey,
): Promise<WorkSessionRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('sessions', { id: workSessionId })
  if (row?.project_id !== projectId) throw noSuchWorkSession(workSessionId)
  return row
}

/**
 * The random part has two thousand million values a second, so this many collisions mean broken
 * randomness.
 */
const maxIdTries = 10

type Beginning = Pick<WorkSessionRow, 'project_id'> &
  Partial<Omit<WorkSessionRow, 'id' | 'started_at' | 'ended_at'>>

/** Creates and announces a work session (WK4). */
export async function beginWorkSession(
  tx: Tx,
  beginning: Beginning,
  context: Context,
): Promise<WorkSessionRow> {
  const row = newRow('sessions', {
    ...beginning,
    id: await freeId(tx, context),
    started_at: context.now,
  })
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
 * Makes an agent session the owner of a work session (WK4), which ends with it (AS9), unless
 * another live one owns it.
 */
export async function takeOwnership(
  tx: Tx,
  workSessionId: string,
  agentSessionId: string,
): Promise<void> {
  const row = await tx.row('sessions', { id: workSessionId })
  if (!row || row.ended_at !== null || row.owner_agent_session_id === agentSessionId) return
  const owner =
    row.owner_agent_session_id &&
    (await tx.row('agent_sessions', { id: row.owner_agent_session_id }))
  if (owner && owner.state !== 'ended') return
  await tx.update('sessions', { ...row, owner_agent_session_id: agentSessionId })
}

// Records checkpoints of work sessions, and saves them on request and in time (CK1).

interface NewCheckpoint {
  readonly projectId: string
  readonly workSessionId: string
  readonly reason: CheckpointReason
  readonly subject?: string
  readonly error?: WorkError | null
  readonly now: Instant
}

/**
 * Records that a work session's state is saved, and why (CK1): the row and its event. The mirror
 * writes the files. The final state is stored in the row (CK6), because the tasks may move to
 * another work session.
 */
export async function recordCheckpoint(tx: Tx, noted: NewCheckpoint): Promise<Checkpoint> {
  const { projectId, workSessionId, reason, subject = null, error = null, now } = noted
  tx.lock(projectStream(projectId))
  const last = await tx.first(selectLastCheckpoint, { workSessionId })
  const number = (last?.number ?? 0) + 1
  const stored = error && JSON.stringify(error)
  const row = {
    session_id: workSessionId,
    number,
    at: now,
    reason,
    subject,
    error: stored,
    state: null,
  }
  const rows = reason === 'ended' ? await workSessionRows(tx, workSessionId) : undefined
  const state = rows
    ? JSON.stringify(stateCheckpoint({ ...rows, checkpoints: [...rows.checkpoints, row] }))
    : null
  await tx.insert('checkpoints', { ...row, state })
  const checkpoint = checkpointOf(row)
  tx.append(projectStream(projectId), {
    type: 'checkpoint-saved',
    data: { workSessionId, checkpoint },
  })
  return checkpoint
}

type CheckpointInput = z.output<typeof CheckpointRequest>

/** Saves a requested checkpoint with the given state. */
async function saveRequested(
  tx: Tx,
  row: WorkSessionRow,
  input: CheckpointInput,
  now: Instant,
): Promise<Checkpoint> {
  const error = input.error ? { ...input.error, at: now } : null
  const changed: WorkSessionRow = {
    ...row,
    context_summary: input.contextSummary ?? row.context_summary,
    current_phase: input.currentPhase ?? row.current_phase,
    error: error ? JSON.stringify(error) : row.error,
  }
  const isSame = (Object.keys(row) as (keyof WorkSessionRow)[]).every(
    (column) => row[column] === changed[column],
  )
  if (!isSame) {
    await tx.update('sessions', changed)
    const event = {
      type: 'work-session-changed',
      data: { workSession: workSessionOf(changed) },
    } as const
    tx.append(projectStream(row.project_id), event)
  }
  const place = { projectId: row.project_id, workSessionId: row.id }
  return recordCheckpoint(tx, { ...place, reason: error ? 'error' : 'asked', error, now })
}

type SaveInput = z.output<typeof CheckpointRequest> & { projectId: string; workSessionId: string }

/** Saves a checkpoint on request (CK1). */
export const saveCheckpoint = defineUseCase('save-checkpoint', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: SaveInput) => [projectStream(projectId)],
  run: async (
    tx,
    { projectId, workSessionId, ...asked }: SaveInput,
    { now },
  ): Promise<Checkpoint> =>
    saveRequested(tx, await existingWorkSession(tx, { projectId, workSessionId }), asked, now),
})

type AgentInput = AgentCaller & { asked: z.output<typeof CheckpointRequest> }

/** Saves a checkpoint of the agent's current work (`save_checkpoint`). Counts as activity (AS6). */
export const saveMyCheckpoint = defineUseCase('save-my-checkpoint', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: AgentInput) => [projectStream(projectId)],
  run: async (
    tx,
    input: AgentInput,
    { now },
  ): Promise<{ workSessionId: string; checkpoint: Checkpoint }> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId } = agentSession
    if (workSessionId === null) throw noWorkSession()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const checkpoint = await saveRequested(tx, row, input.asked, now)
    await tx.update('agent_sessions', activityOf(afterActivity(now, agentSession, 'progress')))
    return { workSessionId, checkpoint }
  },
})

interface DueInput {
  readonly projectId: string
  readonly workSessionId: string
}

/**
 * Saves a checkpoint of a running work session that changed and was not saved for a while (CK1).
 * Idempotent.
 */
export const saveDueCheckpoint = defineUseCase('save-due-checkpoint', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: DueInput) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId }: DueInput, { now }): Promise<{ saved: boolean }> => {
    const row = await tx.row('sessions', { id: workSessionId })
    if (row?.ended_at !== null) return { saved: false }
    const { changedAt, savedAt } = await lastChange(tx, workSessionId)
    const intervalMs = durationMs(await settingsOf(tx, projectId), 'checkpoint.interval_minutes')
    if (!isDue(now, savedAt, changedAt, intervalMs)) return { saved: false }
    await recordCheckpoint(tx, { projectId, workSessionId, reason: 'periodic', now })
    return { saved: true }
  },
})
