/** Until when agents could be heard, before this server was started; undefined when none ever was live. */
import type { Instant } from '../domain/instant.ts'
import { selectMeta } from '../store/meta.ts'
import { defineQuery } from '../store/store.ts'

export const findLastSweep = defineQuery({
  name: 'find-last-sweep',
  run: async (reader): Promise<Instant | undefined> =>
    (await reader.first(selectMeta, { key: 'agent_sessions_swept_at' }))?.value,
})
