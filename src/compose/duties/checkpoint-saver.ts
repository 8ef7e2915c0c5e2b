/**
 * Saves running work every few minutes while it changes (CK1). What changes is in the store and in the files within a second
 * anyway; this marks the moments somebody may want to come back to. Harmless when done twice or on several nodes.
 */
import { instant } from '../../domain/instant.ts'
import type { Clock } from '../../platform/clock.ts'
import { findRunningWork, runningAtOnce } from '../../services/find-running-work.ts'
import { saveDueCheckpoint } from '../../services/save-due-checkpoint.ts'
import type { Store } from '../../store/store.ts'
import type { Duty } from './duty.ts'

export const checkpointSaving = (store: Store, clock: Clock): Duty => ({
  // The shortest interval a project may choose.
  everyMs: 3000,
  complaint: 'Running work could not be saved',
  restsFirst: true,
  round: () => saveAllDue(store, clock),
})

export async function saveAllDue(store: Store, clock: Clock): Promise<void> {
  for (let after = { projectId: '', workSessionId: '' }; ; ) {
    const found = await store.query(findRunningWork, after)
    const now = instant(clock.now())
    for (const { projectId, workSessionId, dueAt } of found)
      if (dueAt <= now) await store.run(saveDueCheckpoint, { projectId, workSessionId })
    const last = found.at(-1)
    if (!last || found.length < runningAtOnce) return
    after = last
  }
}
