/** Changes an approach's content, or marks an untried one as tried (AR1). It keeps its id and its history. */
import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { change } from '../../domain/work/approach-lifecycle.ts'
import type { Approach, ApproachChange, ApproachDraft } from '../../protocol/work/approach.ts'
import type { NewApproach } from '../../protocol/work/new-approaches.ts'
import { changesOf, updateActivity } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { noticeColumn } from '../../store/fields.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { type ApproachRow, approachColumns, approachFrom, approachOf } from '../../store/work/approaches.ts'
import { lineageOf, workSessionOf } from '../../store/work/work-sessions.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { noSuchApproach, noSuchProject, noWorkSession } from '../refusals.ts'
import { addApproach } from './approach-record.ts'
import { existingWorkSession, recordCheckpoint } from './end-work-session.ts'

interface Place {
  readonly projectId: string
  /** The work session it is seen from: its own or a descendant. Left out for anywhere in the project. */
  readonly workSessionId?: string
  readonly approachId: string
}
type ChangeInput = z.output<typeof ApproachChange> & Place & { by: string }

export const changeApproach = defineUseCase('change-approach', {
  streams: ({ projectId }: ChangeInput) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, approachId, by, ...asked }: ChangeInput, { now }): Promise<Approach> => {
    const row = await existingApproach(tx, { projectId, approachId, ...(workSessionId !== undefined && { workSessionId }) })
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
  },
})

async function existingApproach(reader: Reader, { projectId, workSessionId, approachId }: Place): Promise<ApproachRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('approaches', { project_id: projectId, id: approachId })
  if (!row) throw noSuchApproach(approachId)
  if (workSessionId === undefined) return row
  const seenFrom = await existingWorkSession(reader, { projectId, workSessionId })
  if (!(await lineageOf(reader, seenFrom)).includes(row.session_id)) throw noSuchApproach(approachId)
  return row
}

const cannotMove = ({ id, kind }: ApproachRow, wanted: string | undefined): Refusal =>
  new Refusal('wrong_state', refusalText('approachKept', { id, kind }), {
    state: kind,
    wanted,
  })

type RecordInput = z.output<typeof ApproachDraft> & { projectId: string; workSessionId: string; by: string }

/** Records what worked, failed or could be tried in a work session (AR1). */
export const recordApproach = defineUseCase('record-approach', {
  streams: ({ projectId }: RecordInput) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, by, ...draft }: RecordInput, { now }): Promise<Approach> =>
    addApproach(tx, await existingWorkSession(tx, { projectId, workSessionId }), draft, { by, now }),
})

type AgentInput = AgentCaller & { draft: z.output<typeof ApproachDraft> }

/** Records an approach in the agent's current work (`record_approach`). Counts as activity (AS6). */
export const recordAgentApproach = defineUseCase('record-agent-approach', {
  streams: ({ projectId }: AgentInput) => [projectStream(projectId)],
  run: async (tx, input: AgentInput, { now }): Promise<Approach> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId, agentId } = agentSession
    if (workSessionId === null) throw noWorkSession()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const approach = await addApproach(tx, row, input.draft, { by: agentId, now })
    await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'progress')))
    return approach
  },
})

interface ImportInput {
  readonly projectId: string
  readonly workSessionId: string
  readonly added: readonly NewApproach[]
  readonly problem: Detail | null
  readonly by: string
}

/** Imports new entries of an edited `approaches.json` (AR3), under their ids where free. A problem is stored until fixed. */
export const importApproaches = defineUseCase('import-approaches', {
  streams: ({ projectId }: ImportInput) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, added, problem, by }: ImportInput, { now }): Promise<void> => {
    const row = await tx.row('sessions', { id: workSessionId })
    if (row?.project_id !== projectId) return
    for (const { id, draft } of added) await addApproach(tx, row, draft, { by, now, ...(id !== undefined && { id }) })
    const file_problem = problem && textOf(problem)
    if (row.file_problem === file_problem) return
    const changed = { ...row, file_problem, notice: noticeColumn(problem) }
    await tx.update('sessions', changed)
    tx.append(projectStream(projectId), { type: 'work-session-changed', data: { workSession: workSessionOf(changed) } })
  },
})
