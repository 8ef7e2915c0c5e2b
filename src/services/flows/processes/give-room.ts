/** Stops idle processes where others wait for a place on their machine, or of their agent. */
import { stoppedForOthers } from '../../../domain/processes/room.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { home } from '../../../domain/stream-name.ts'
import { newestOfLaunch } from '../../../store/agent-sessions/agent-sessions.ts'
import { isIdle, processesOn, selectCrowded } from '../../../store/processes/room.ts'
import { defineQuery, defineUseCase } from '../../../store/store.ts'
import { lockLaunch, stopLaunch } from '../../processes/launch-record.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'

/**
 * The idle processes that are to go. `maxConcurrent`: of a machine without a capacity of its own.
 */
export const findInTheWay = defineQuery('find-in-the-way', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { maxConcurrent }: { maxConcurrent: number }): Promise<string[]> => {
    const found: string[] = []
    for (const { coordinator_id: id, capacity } of await reader.all(selectCrowded, {}))
      found.push(
        ...stoppedForOthers(await processesOn(reader, id), Number(capacity ?? maxConcurrent)),
      )
    return found
  },
})

/** Stops one that is still idle. Its session sleeps, and the next message begins it again. */
export const giveRoom = defineUseCase('give-room', {
  scope: 'server',
  on: 'nobody',
  streams: (_: { launchId: string }) => [home],
  run: async (tx, { launchId }, context): Promise<{ stopped: boolean }> => {
    const launch = await lockLaunch(tx, launchId)
    if (launch.stopReason !== null || !(await isIdle(tx, launchId))) return { stopped: false }
    const own = await newestOfLaunch(tx, launchId)
    if (own) await endAgentSession(tx, own, 'other_conversation', context)
    const detail = statusNotice('otherConversation')
    await stopLaunch(tx, launch, { reason: 'finished', detail }, context)
    return { stopped: true }
  },
})
