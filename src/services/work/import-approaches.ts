/**
 * Imports new entries from a work session's edited `approaches.json` (AR3), under their own ids where free. A problem is stored
 * until the file is fixed.
 */
import { projectStream } from '../../domain/stream-name.ts'
import type { NewApproach } from '../../protocol/work/new-approaches.ts'
import { defineUseCase } from '../../store/store.ts'
import { selectWorkSession, updateWorkSession, workSessionOf } from '../../store/work/work-sessions.ts'
import { addApproach } from './approach-record.ts'

interface Input {
  readonly projectId: string
  readonly workSessionId: string
  readonly added: readonly NewApproach[]
  readonly problem: string | null
  readonly by: string
}

export const importApproaches = defineUseCase({
  name: 'import-approaches',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, added, problem, by }: Input, { now }): Promise<void> => {
    const row = await tx.first(selectWorkSession, { id: workSessionId })
    if (row?.project_id !== projectId) return
    for (const { id, draft } of added) await addApproach(tx, row, draft, { by, now, ...(id !== undefined && { id }) })
    if (row.file_problem === problem) return
    const changed = { ...row, file_problem: problem }
    await tx.write(updateWorkSession, changed)
    tx.append(projectStream(projectId), { type: 'work-session-changed', data: { workSession: workSessionOf(changed) } })
  },
})
