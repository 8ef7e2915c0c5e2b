/**
 * The conversations between agents that the live sessions of an agent in a project have written in: what their end has to close
 * (AS9). Asked before a use case that may end one, which has to know the streams it locks.
 */
import type { Pair } from '../store/queries/agent-sessions.ts'
import { selectOpenConversationsOf } from '../store/queries/open-conversations.ts'
import { defineQuery } from '../store/store.ts'

/** Closed in one commit with the session; what is open beyond that the sweeper closes. */
const closedAtOnce = 100

export const findOpenConversations = defineQuery({
  name: 'find-open-conversations',
  run: async (reader, { agentId, projectId }: Pair): Promise<string[]> =>
    (await reader.all(selectOpenConversationsOf, { agentId, projectId, limit: closedAtOnce })).map((row) => row.conversation_key),
})
