/** Checkpoints of running work are saved, expired rows are removed and long streams trimmed. */
import { instant } from '../domain/instant.ts'
import type { StreamName } from '../domain/stream-name.ts'
import { inPages } from '../platform/for-each-settled.ts'
import type { Clock } from '../platform/time/clock.ts'
import { dropDrafts } from '../services/flows/conversations/delete-conversation.ts'
import { findLongStreams, sweepExpired, trimStream } from '../services/system/sweep-expired.ts'
import { saveDueCheckpoint } from '../services/work/end-work-session.ts'
import { findRunningWork, type RunningWork, runningPageSize } from '../services/work/queries.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

/** The shortest interval a project may choose. */
const checkpointsEveryMs = 3000
const cleanedEveryMs = 60_000
/** Upper bound per look: more than a store under load creates in a minute. */
const maxSweeps = 100
/** Upper bound per stream and look. */
const maxTrims = 20

/**
 * Saves checkpoints of running work every few minutes while it changes (CK1). Changes are in the
 * store and files within a second anyway; checkpoints mark moments to return to.
 */
export const dueCheckpoints = (store: Store, clock: Clock): DueWork<RunningWork> => ({
  everyMs: checkpointsEveryMs,
  firstAfterMs: checkpointsEveryMs,
  failureText: 'checkpoints could not be saved',
  find: () =>
    inPages<RunningWork>(
      (last) => store.query(findRunningWork, last ?? { projectId: '', workSessionId: '' }),
      runningPageSize,
    ),
  async run({ projectId, workSessionId, dueAt }) {
    if (dueAt <= instant(clock.now()))
      await store.run(saveDueCheckpoint, { projectId, workSessionId })
  },
})

/**
 * Removes expired rows in bounded steps (services/system/sweep-expired.ts). There are nearly always
 * some.
 */
export const expiredRows = (store: Store): DueWork<object> => ({
  everyMs: cleanedEveryMs,
  firstAfterMs: cleanedEveryMs,
  failureText: 'expired rows could not be removed',
  find: async () => [{}],
  async run() {
    for (let sweeps = 0; sweeps < maxSweeps; sweeps++)
      if (!(await store.run(sweepExpired, {})).more) return
  },
})

/** Removes sessions that were begun a day ago and in which nothing was said. */
export const oldDrafts = (store: Store): DueWork<object> => ({
  everyMs: cleanedEveryMs,
  firstAfterMs: cleanedEveryMs,
  failureText: 'drafts could not be removed',
  find: async () => [{}],
  async run() {
    for (let sweeps = 0; sweeps < maxSweeps; sweeps++)
      if (!(await store.run(dropDrafts, {})).more) return
  },
})

/** Removes the beginnings of streams that have grown too long. */
export const longStreams = (store: Store): DueWork<StreamName> => ({
  everyMs: cleanedEveryMs,
  firstAfterMs: cleanedEveryMs,
  failureText: 'a long stream could not be trimmed',
  find: () => store.query(findLongStreams, {}),
  async run(stream) {
    for (let trims = 0; trims < maxTrims; trims++)
      if (!(await store.run(trimStream, { stream })).more) return
  },
})
