/** Work sessions that are running, over all projects, and when the state of each may have to be saved again (CK1). */
import { type Instant, later } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import { lastChange } from '../store/queries/checkpoints.ts'
import { selectRunningAfter } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { settingsOf } from './project-settings.ts'

export const runningAtOnce = 200

export interface RunningWork {
  readonly projectId: string
  readonly workSessionId: string
  /** Not before. */
  readonly dueAt: Instant
}

export const findRunningWork = defineQuery({
  name: 'find-running-work',
  /** In the order of project and id, behind the one named. */
  run: async (reader, after: { projectId: string; workSessionId: string }): Promise<RunningWork[]> => {
    const found: RunningWork[] = []
    for (const row of await reader.all(selectRunningAfter, { ...after, limit: runningAtOnce })) {
      const { savedAt } = await lastChange(reader, row.id)
      const intervalMs = durationMs(await settingsOf(reader, row.project_id), 'checkpoint.interval_minutes')
      found.push({ projectId: row.project_id, workSessionId: row.id, dueAt: later(savedAt, intervalMs) })
    }
    return found
  },
})
