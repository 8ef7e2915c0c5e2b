/**
 * Whether a look at a pair is worth a write, and on which coordinator it would be started: the cheap question behind every
 * message. The answers that are nearly always right come first. `order-launch` decides again, behind the lock.
 */
import { decideOrder } from '../domain/agent-process/start.ts'
import { detectWork } from '../domain/agent-session/work-detection.ts'
import { type Pair, selectLiveAgentSession } from '../store/queries/agent-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { chosenMachine } from './chosen-machine.ts'
import { startableAgent, startFactsOf } from './start-facts.ts'
import { workFactsOf } from './work-facts.ts'

interface Look extends Pair {
  /** Something happened in its chat and nowhere else: a live chat session has it. */
  readonly inChat?: boolean | undefined
}

export const findStart = defineQuery({
  name: 'find-start',
  run: async (reader, { inChat, agentId, projectId }: Look, { now }): Promise<{ coordinatorId: string } | undefined> => {
    const pair = { agentId, projectId }
    if (inChat && (await reader.first(selectLiveAgentSession, { ...pair, purpose: 'chat' }))) return undefined
    const coordinatorId = await chosenMachine(reader, pair)
    if (coordinatorId === undefined || !(await startableAgent(reader, pair))) return undefined
    if (detectWork(now, await workFactsOf(reader, pair)).purpose === 'no_work') return undefined
    const { order } = decideOrder(now, await startFactsOf(reader, pair, now))
    return order === 'none' ? undefined : { coordinatorId }
  },
})
