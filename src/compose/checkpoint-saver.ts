/**
 * Saves running work every few minutes while it changes (CK1). What changes is in the store and in the files within a second
 * anyway; this marks the moments somebody may want to come back to. Harmless when done twice or on several nodes.
 */
import { instant } from '../domain/instant.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { findRunningWork, runningAtOnce } from '../services/find-running-work.ts'
import { saveDueCheckpoint } from '../services/save-due-checkpoint.ts'
import type { Store } from '../store/store.ts'

/** The shortest interval a project may choose is 3 seconds. */
const everyMs = 3000

/** Starts saving; the function returned stops it when what was begun is done. */
export function startCheckpointSaver(store: Store, clock: Clock, logger: Logger): () => Promise<void> {
  let cancel = clock.after(everyMs, tick)
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  function tick(): void {
    running = saveAllDue(store, clock)
      .catch((error) => logger.warn({ error: String(error) }, 'Running work could not be saved; trying again'))
      .finally(() => {
        if (!stopped) cancel = clock.after(everyMs, tick)
      })
  }
  return async () => {
    stopped = true
    cancel()
    await running
  }
}

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
