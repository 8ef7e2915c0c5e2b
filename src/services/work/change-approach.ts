/**
 * Stores an approach, changes its content, or marks an untried one as tried (AR1). It keeps its id
 * and its history.
 */

import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import {
  type ApproachKind,
  approachId,
  change,
  contentOf,
  dayOf,
  parseApproachId,
} from '../../domain/work/approach-lifecycle.ts'
import type { Approach, ApproachChange, ApproachDraft } from '../../protocol/work/approach.ts'
import type { ChangedApproach, NewApproach } from '../../protocol/work/new-approaches.ts'
import { activityOf } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { noticeColumn } from '../../store/fields.ts'
import { newest } from '../../store/page-cursor.ts'
import { defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import {
  type ApproachRow,
  approachColumns,
  approachesPage,
  approachFrom,
  approachOf,
  nextApproachNumber,
} from '../../store/work/approaches.ts'
import { lineageOf, type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { noSuchApproach, noSuchProject, noWorkSession } from '../refusals.ts'
import { existingWorkSession, recordCheckpoint } from './end-work-session.ts'

interface ApproachPlace {
  readonly projectId: string
  /**
   * The work session it is seen from: its own or a descendant. Left out for anywhere in the
   * project.
   */
  readonly workSessionId?: string
  readonly approachId: string
}
type ChangeInput = z.output<typeof ApproachChange> & ApproachPlace & { by: string }

export const changeApproach = defineUseCase('change-approach', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: ChangeInput) => [projectStream(projectId)],
  run: (tx, input: ChangeInput, { now }): Promise<Approach> => applyChange(tx, input, now),
})

async function applyChange(
  tx: Tx,
  { projectId, workSessionId, approachId, by, ...asked }: ChangeInput,
  now: Instant,
): Promise<Approach> {
  tx.lock(projectStream(projectId))
  const row = await existingApproach(tx, {
    projectId,
    approachId,
    ...(workSessionId !== undefined && { workSessionId }),
  })
  const decision = change(approachFrom(row), asked, { at: now, by })
  if (decision.outcome === 'unchanged') return approachOf(row)
  if (decision.outcome === 'refused') throw cannotMove(row, asked.kind)
  const changed = { ...row, ...approachColumns(decision.approach), updated_at: now }
  await tx.update('approaches', changed)
  const approach = approachOf(changed)
  tx.append(projectStream(projectId), { type: 'approach-changed', data: { approach, by } })
  const place = { projectId, workSessionId: workSessionId ?? row.session_id }
  await recordCheckpoint(tx, { ...place, reason: 'approach_recorded', subject: approachId, now })
  return approach
}

async function existingApproach(
  reader: Reader,
  { projectId, workSessionId, approachId }: ApproachPlace,
): Promise<ApproachRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('approaches', { project_id: projectId, id: approachId })
  if (!row) throw noSuchApproach(approachId)
  if (workSessionId === undefined) return row
  const seenFrom = await existingWorkSession(reader, { projectId, workSessionId })
  if (!(await lineageOf(reader, seenFrom)).includes(row.session_id))
    throw noSuchApproach(approachId)
  return row
}

const cannotMove = ({ id, kind }: ApproachRow, wanted: string | undefined): Refusal =>
  new Refusal('wrong_state', refusalText('approachKept', { id, kind }), {
    state: kind,
    wanted,
  })

type RecordInput = z.output<typeof ApproachDraft> & {
  projectId: string
  workSessionId: string
  by: string
}

/** Records what worked, failed or could be tried in a work session (AR1). */
export const recordApproach = defineUseCase('record-approach', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: RecordInput) => [projectStream(projectId)],
  run: async (
    tx,
    { projectId, workSessionId, by, ...draft }: RecordInput,
    { now },
  ): Promise<Approach> =>
    addApproach(tx, await existingWorkSession(tx, { projectId, workSessionId }), draft, {
      by,
      now,
    }),
})

type AgentInput = AgentCaller & { draft: z.output<typeof ApproachDraft> }

/**
 * Records an approach in the agent's current work (`record_approach`). Counts as activity (AS6).
 */
export const recordAgentApproach = defineUseCase('record-agent-approach', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: AgentInput) => [projectStream(projectId)],
  run: async (tx, input: AgentInput, { now }): Promise<Approach> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId, agentId } = agentSession
    if (workSessionId === null) throw noWorkSession()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const approach = await addApproach(tx, row, input.draft, { by: agentId, now })
    await tx.update('agent_sessions', activityOf(afterActivity(now, agentSession, 'progress')))
    return approach
  },
})

interface ImportInput {
  readonly projectId: string
  readonly workSessionId: string
  readonly added: readonly NewApproach[]
  readonly changed?: readonly ChangedApproach[]
  readonly problem: Detail | null
  readonly by: string
}

/**
 * Imports new, moved and changed entries of an edited `approaches.json` (AR3); new ones under their
 * ids where free. A problem is stored until fixed.
 */
export const importApproaches = defineUseCase('import-approaches', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: ImportInput) => [projectStream(projectId)],
  run: async (
    tx,
    { projectId, workSessionId, added, changed: changes = [], problem, by }: ImportInput,
    { now },
  ): Promise<void> => {
    const row = await tx.row('sessions', { id: workSessionId })
    if (row?.project_id !== projectId) return
    for (const { id, draft } of added)
      await addApproach(tx, row, draft, { by, now, ...(id !== undefined && { id }) })
    for (const { id, change: content } of changes)
      await applyChange(tx, { projectId, workSessionId, approachId: id, by, ...content }, now)
    const file_problem = problem && textOf(problem)
    if (row.file_problem === file_problem) return
    const notice = noticeColumn(problem)
    const changed = { ...row, file_problem, notice }
    await tx.update('sessions', { id: row.id, file_problem, notice })
    tx.append(projectStream(projectId), {
      type: 'work-session-changed',
      data: { workSession: workSessionOf(changed) },
    })
  },
})

// Stores a new approach. Repeating the same content in a work session returns the same approach.

type Draft = z.output<typeof ApproachDraft>

/** The newest approaches searched for a repeat, which comes soon after. */
const repeatWindow = 20

interface RecordOptions {
  readonly by: string
  readonly now: Instant
  /** The wanted id, used if it is free. */
  readonly id?: string
}

export async function addApproach(
  tx: Tx,
  row: WorkSessionRow,
  draft: Draft,
  { by, now, id: wanted }: RecordOptions,
): Promise<Approach> {
  tx.lock(projectStream(row.project_id))
  const repeated = await findRepeat(tx, row.id, draft)
  if (repeated) return approachOf(repeated)
  const { kind, ...words } = draft
  const { id, number } =
    (await freeId(tx, row.project_id, kind, wanted)) ?? (await nextId(tx, row.project_id, kind))
  const recorded: ApproachRow = {
    project_id: row.project_id,
    session_id: row.id,
    id,
    first_kind: kind,
    number,
    ...approachColumns({ id, kind, date: dayOf(now), ...contentOf(kind, words), history: [] }),
    recorded_at: now,
    updated_at: now,
  }
  await tx.insert('approaches', recorded)
  const approach = approachOf(recorded)
  tx.append(projectStream(row.project_id), { type: 'approach-recorded', data: { approach, by } })
  const place = { projectId: row.project_id, workSessionId: row.id }
  await recordCheckpoint(tx, { ...place, reason: 'approach_recorded', subject: id, now })
  return approach
}

async function nextId(tx: Tx, projectId: string, kind: ApproachKind): Promise<Numbered> {
  const number = await nextApproachNumber(tx, projectId, kind)
  return { id: approachId(kind, number), number }
}

/** Undefined if the id has another form or is taken. */
async function freeId(
  reader: Reader,
  projectId: string,
  kind: ApproachKind,
  id = '',
): Promise<Numbered | undefined> {
  const parsed = parseApproachId(id)
  const isFree =
    parsed?.kind === kind &&
    parsed.number <= maxNumber &&
    !(await reader.row('approaches', { project_id: projectId, id }))
  return isFree ? { id, number: parsed.number } : undefined
}

interface Numbered {
  readonly id: string
  readonly number: number
}

/** The highest accepted number. The next id continues from it. */
const maxNumber = 1_000_000

async function findRepeat(
  reader: Reader,
  workSessionId: string,
  { kind, ...words }: Draft,
): Promise<ApproachRow | undefined> {
  const wanted = contentOf(kind, words)
  const rows = await approachesPage(
    reader,
    [workSessionId],
    { ...newest, limit: repeatWindow },
    kind,
  )
  return rows.find((each) => {
    const { id: _, kind: __, date: ___, history, ...content } = approachFrom(each)
    return history.length === 0 && isDeepStrictEqual(content, wanted)
  })
}
