/** The processes that are spoken to and can be told something: of a project or all of them, a page at a time (CH12). */
import { type SpokenLaunch, spokenLaunches } from '../store/queries/chat-turns.ts'
import { defineQuery } from '../store/store.ts'

/** In one read. */
export const spokenAtOnce = 200

interface Asked {
  readonly projectId?: string | undefined
  readonly after: string
}

export const findSpokenLaunches = defineQuery({
  name: 'find-spoken-launches',
  run: (reader, asked: Asked): Promise<SpokenLaunch[]> => spokenLaunches(reader, { ...asked, limit: spokenAtOnce }),
})
