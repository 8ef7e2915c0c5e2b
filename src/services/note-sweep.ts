/** Writes down that agents could be heard until now, so that after a stop or a crash the time in between is known. */
import { setMeta } from '../store/meta.ts'
import { defineUseCase } from '../store/store.ts'

export const noteSweep = defineUseCase({
  name: 'note-sweep',
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<void> =>
    tx.write(setMeta, { key: 'agent_sessions_swept_at', value: now }),
})
