/** The launch of a pair that is on its way or held: there is a process to come, or the reason why there is none (CH1, CH9). */
import type { Process } from '../protocol/process.ts'
import { liveOfPair, type Pair } from '../store/queries/agent-sessions.ts'
import { liveLaunchesOf, processOf } from '../store/queries/launches.ts'
import type { Reader } from '../store/store.ts'
import { hasSignedIn } from './start-facts.ts'

export async function launchInProgress(reader: Reader, { agentId, projectId }: Pair): Promise<Process | null> {
  const pair = { agentId, projectId }
  const launches = await liveLaunchesOf(reader, pair)
  const live = launches.length > 0 ? await liveOfPair(reader, pair) : []
  for (const launch of launches.reverse()) if (!(await hasSignedIn(reader, launch, live))) return processOf(launch)
  return null
}
