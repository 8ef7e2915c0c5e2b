/** Records checkpoints of work sessions, and saves them on request and in time (CK1). */

import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { type CheckpointReason, isDue, type WorkError } from '../../domain/work/work-session-lifecycle.ts'
import type { Checkpoint, CheckpointRequest } from '../../protocol/work/checkpoint.ts'
import { changesOf, updateActivity } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
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
import { noWorkSession } from '../refusals.ts'
import { existingWorkSession } from './end-work-session.ts'

interface NewCheckpoint {
  readonly projectId: string
  readonly workSessionId: string
  readonly reason: CheckpointReason
  readonly subject?: string
  readonly error?: WorkError | null
  readonly now: Instant
}

/**
 * Records that a work session's state is saved, and why (CK1): the row and its event. The mirror writes the files. The final
 * state is stored in the row (CK6), because the tasks may move to another work session. The calling use case locks the project's
 * stream.
 */
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

type CheckpointInput = z.output<typeof CheckpointRequest>

/** Saves a requested checkpoint with the given state. The calling use case locks the project's stream. */
async function saveRequested(tx: Tx, row: WorkSessionRow, asked: CheckpointInput, now: Instant): Promise<Checkpoint> {
  const error = asked.error ? { ...asked.error, at: now } : null
  const changed: WorkSessionRow = {
    ...row,
    context_summary: asked.contextSummary ?? row.context_summary,
    current_phase: asked.currentPhase ?? row.current_phase,
    error: error ? JSON.stringify(error) : row.error,
  }
  const isSame = (Object.keys(row) as (keyof WorkSessionRow)[]).every((column) => row[column] === changed[column])
  if (!isSame) {
    await tx.update('sessions', changed)
    const event = { type: 'work-session-changed', data: { workSession: workSessionOf(changed) } } as const
    tx.append(projectStream(row.project_id), event)
  }
  const place = { projectId: row.project_id, workSessionId: row.id }
  return recordCheckpoint(tx, { ...place, reason: error ? 'error' : 'asked', error, now })
}

type Input = z.output<typeof CheckpointRequest> & { projectId: string; workSessionId: string }

/** Saves a checkpoint on request (CK1). */
export const saveCheckpoint = defineUseCase('save-checkpoint', {
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, ...asked }: Input, { now }): Promise<Checkpoint> =>
    saveRequested(tx, await existingWorkSession(tx, { projectId, workSessionId }), asked, now),
})

type AgentInput = AgentCaller & { asked: z.output<typeof CheckpointRequest> }

/** Saves a checkpoint of the agent's current work (`save_checkpoint`). Counts as activity (AS6). */
export const saveMyCheckpoint = defineUseCase('save-my-checkpoint', {
  streams: ({ projectId }: AgentInput) => [projectStream(projectId)],
  run: async (tx, input: AgentInput, { now }): Promise<{ workSessionId: string; checkpoint: Checkpoint }> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId } = agentSession
    if (workSessionId === null) throw noWorkSession()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const checkpoint = await saveRequested(tx, row, input.asked, now)
    await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'progress')))
    return { workSessionId, checkpoint }
  },
})

interface DueInput {
  readonly projectId: string
  readonly workSessionId: string
}

/** Saves a checkpoint of a running work session that changed and was not saved for a while (CK1). Idempotent. */
export const saveDueCheckpoint = defineUseCase('save-due-checkpoint', {
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
