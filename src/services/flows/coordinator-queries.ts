/** Where an agent would be started. */

import { detectWork } from '../../domain/agent-sessions/work-detection.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import { type Pair, selectLiveAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { defineQuery } from '../../store/store.ts'
import { workFactsOf } from '../agent-sessions/agent-session-record.ts'
import { chosenMachine, startableAgent, startFactsOf } from '../processes/launch-record.ts'

interface StartQuery extends Pair {
  /** Only a chat changed. A live chat session handles it. */
  readonly inChat?: boolean | undefined
}

/**
 * Decides cheaply whether a pair needs a start, and on which coordinator. Runs after every message,
 * so the common answers come first. `order-launch` decides again under the lock.
 */
export const findStart = defineQuery('find-start', {
  scope: 'server',
  on: 'nobody',
  run: async (
    reader,
    { inChat, agentId, projectId }: StartQuery,
    { now },
  ): Promise<{ coordinatorId: string } | undefined> => {
    const pair = { agentId, projectId }
    if (inChat && (await reader.first(selectLiveAgentSession, { ...pair, purpose: 'chat' })))
      return undefined
    const coordinatorId = await chosenMachine(reader, pair)
    if (coordinatorId === undefined || !(await startableAgent(reader, pair))) return undefined
    if (detectWork(now, await workFactsOf(reader, pair)).purpose === 'no_work') return undefined
    const { order } = decideOrder(now, await startFactsOf(reader, pair, now))
    return order === 'none' ? undefined : { coordinatorId }
  },
})
