/** All live agent sessions, a page at a time: for the sweeper, when it has to move their deadlines. */
import { type DueAgentSession, type LiveKey, liveAfter } from '../store/queries/due-agent-sessions.ts'
import { defineQuery } from '../store/store.ts'

export const listLiveAgentSessions = defineQuery({
  name: 'list-live-agent-sessions',
  run: (reader, { after, limit }: { after: LiveKey; limit: number }): Promise<(DueAgentSession & LiveKey)[]> =>
    liveAfter(reader, after, limit),
})
