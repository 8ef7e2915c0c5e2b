/** Changes an approach's content, or marks an untried one as tried (AR1). It keeps its id and its history. */

import type * as z from 'zod'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { change } from '../../domain/work/approach-lifecycle.ts'
import type { Approach, ApproachChange } from '../../protocol/work/approach.ts'
import { selectProject } from '../../store/projects/projects.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import {
  type ApproachRow,
  approachColumns,
  approachFrom,
  approachOf,
  selectApproach,
  updateApproach,
} from '../../store/work/approaches.ts'
import { lineageOf } from '../../store/work/work-sessions.ts'
import { noSuchApproach, noSuchProject } from '../refusals.ts'
import { recordCheckpoint } from './checkpoint-record.ts'
import { existingWorkSession } from './work-session-record.ts'

interface Place {
  readonly projectId: string
  /** The work session it is seen from: its own or a descendant. Left out for anywhere in the project. */
  readonly workSessionId?: string
  readonly approachId: string
}
type Input = z.output<typeof ApproachChange> & Place & { by: string }

export const changeApproach = defineUseCase({
  name: 'change-approach',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, approachId, by, ...asked }: Input, { now }): Promise<Approach> => {
    const row = await existingApproach(tx, { projectId, approachId, ...(workSessionId !== undefined && { workSessionId }) })
    const decision = change(approachFrom(row), asked, { at: now, by })
    if (decision.outcome === 'unchanged') return approachOf(row)
    if (decision.outcome === 'refused') throw cannotMove(row, asked.kind)
    const changed = { ...row, ...approachColumns(decision.approach), updated_at: now }
    await tx.write(updateApproach, changed)
    const approach = approachOf(changed)
    tx.append(projectStream(projectId), { type: 'approach-changed', data: { approach, by } })
    const place = { projectId, workSessionId: workSessionId ?? row.session_id }
    await recordCheckpoint(tx, { ...place, reason: 'approach_recorded', subject: approachId, now })
    return approach
  },
})

async function existingApproach(reader: Reader, { projectId, workSessionId, approachId }: Place): Promise<ApproachRow> {
  if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.first(selectApproach, { projectId, id: approachId })
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
