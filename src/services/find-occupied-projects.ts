/** The projects in which an agent has live sessions: what has to be locked by a use case that ends them all. */
import { liveOfAgent } from '../store/queries/agent-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { maxRevoked } from './revoke-agent-sessions.ts'

export const findOccupiedProjects = defineQuery({
  name: 'find-occupied-projects',
  run: async (reader, { agentId }: { agentId: string }): Promise<string[]> => [
    ...new Set((await liveOfAgent(reader, agentId, maxRevoked)).map(({ projectId }) => projectId)),
  ],
})
