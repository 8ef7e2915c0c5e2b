/** Where an agent would be started. */

import { detectWork } from '../../../domain/agent-sessions/work-detection.ts'
import { decideOrder } from '../../../domain/processes/start.ts'
import { type Post, selectLiveAgentSession } from '../../../store/agent-sessions/agent-sessions.ts'
import { defineQuery } from '../../../store/store.ts'
import { workFactsOf } from '../../agent-sessions/agent-session-record.ts'
import { chosenMachine, startableAgent, startFactsOf } from '../../processes/launch-record.ts'

interface StartQuery extends Post {
  /** Only a chat changed. A live chat session handles it. */
  readonly inChat?: boolean | undefined
}

/**
 * Decides cheaply whether a post needs a start, and on which coordinator. Runs after every message,
 * so the common answers come first. `order-launch` decides again under the lock.
 */
export const findStart = defineQuery('find-start', {
  scope: 'server',
  on: 'nobody',
  run: async (
    reader,
    { inChat, ...post }: StartQuery,
    { now },
  ): Promise<{ coordinatorId: string } | undefined> => {
    if (inChat && (await reader.first(selectLiveAgentSession, { ...post, purpose: 'chat' })))
      return undefined
    const coordinatorId = await chosenMachine(reader, post)
    if (coordinatorId === undefined || !(await startableAgent(reader, post))) return undefined
    if (detectWork(now, await workFactsOf(reader, post)).purpose === 'no_work') return undefined
    const { order } = decideOrder(now, await startFactsOf(reader, post, now))
    return order === 'none' ? undefined : { coordinatorId }
  },
})
