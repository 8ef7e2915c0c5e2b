/** The streams that have more events than are kept at least; whether they are trimmed `trim-stream` decides. */
import type { StreamName } from '../domain/stream/name.ts'
import { selectLongStreams } from '../store/event-log.ts'
import { defineQuery } from '../store/store.ts'
import { keptEvents, trimmedKinds } from './trim-stream.ts'

const foundAtOnce = 1000

export const findLongStreams = defineQuery({
  name: 'find-long-streams',
  run: async (reader, _: Record<never, never>): Promise<StreamName[]> => {
    const names: StreamName[] = []
    for (const kind of trimmedKinds) {
      // `;` is what follows `:` in every order.
      const between = { from: `${kind}:`, to: `${kind};`, kept: keptEvents, limit: foundAtOnce }
      for (const { name } of await reader.all(selectLongStreams, between)) names.push(name)
    }
    return names
  },
})
