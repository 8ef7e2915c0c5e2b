/** Saves the state of a running work session that has changed and was not saved for a while (CK1). Done twice, it is done once. */
import { durationMs } from '../domain/project/duration.ts'
import { projectStream } from '../domain/stream/name.ts'
import { isDue } from '../domain/work-session/checkpoint.ts'
import { lastChange } from '../store/queries/checkpoints.ts'
import { selectWorkSession } from '../store/queries/work-sessions.ts'
import { defineUseCase } from '../store/store.ts'
import { noteCheckpoint } from './note-checkpoint.ts'
import { settingsOf } from './project-settings.ts'

interface Input {
  readonly projectId: string
  readonly workSessionId: string
}

export const saveDueCheckpoint = defineUseCase({
  name: 'save-due-checkpoint',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId }: Input, { now }): Promise<{ saved: boolean }> => {
    const row = await tx.first(selectWorkSession, { id: workSessionId })
    if (row?.ended_at !== null) return { saved: false }
    const { changedAt, savedAt } = await lastChange(tx, workSessionId)
    const intervalMs = durationMs(await settingsOf(tx, projectId), 'checkpoint.interval_minutes')
    if (!isDue(now, savedAt, changedAt, intervalMs)) return { saved: false }
    await noteCheckpoint(tx, { projectId, workSessionId, reason: 'periodic', now })
    return { saved: true }
  },
})
