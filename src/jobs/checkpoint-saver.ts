/**
 * Saves checkpoints of running work every few minutes while it changes (CK1). Changes are in the store and files within a second
 * anyway; checkpoints mark moments to return to. Safe to run twice or on several nodes.
 */
import { instant } from '../domain/instant.ts'
import type { Clock } from '../platform/clock.ts'
import { forEachSettled, inPages } from '../platform/for-each-settled.ts'
import { findRunningWork, type RunningWork, runningPageSize } from '../services/work/queries.ts'
import { saveDueCheckpoint } from '../services/work/save-checkpoint.ts'
import type { Store } from '../store/store.ts'
import type { PeriodicJob } from './periodic-job.ts'

export const checkpointSaver = (store: Store, clock: Clock): PeriodicJob => ({
  // The shortest interval a project may choose.
  everyMs: 3000,
  failureText: 'Running work could not be saved',
  waitsFirst: true,
  run: () => saveAllDue(store, clock),
})

export const saveAllDue = (store: Store, clock: Clock): Promise<void> =>
  forEachSettled(
    inPages<RunningWork>((last) => store.query(findRunningWork, last ?? { projectId: '', workSessionId: '' }), runningPageSize),
    async ({ projectId, workSessionId, dueAt }) => {
      if (dueAt <= instant(clock.now())) await store.run(saveDueCheckpoint, { projectId, workSessionId })
    },
  )
