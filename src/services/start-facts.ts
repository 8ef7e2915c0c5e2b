/** What is known about starting an agent in a project (CO3, CO7), for all who decide by it: orders, looks, foreign coordinators. */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { failuresAllowed, heldBecause } from '../domain/agent-process/restart-intensity.ts'
import type { OrderFacts } from '../domain/agent-process/start.ts'
import type { LiveAgentSession } from '../domain/agent-session/lifecycle.ts'
import { type Instant, later } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import { liveOfPair, type Pair } from '../store/queries/agent-sessions.ts'
import { newestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { type AgentRow, selectAgent } from '../store/queries/agents.ts'
import { selectAssignment } from '../store/queries/assignments.ts'
import { failuresOf, liveLaunchesOf } from '../store/queries/launches.ts'
import { selectRunningOfLaunch } from '../store/queries/turns.ts'
import { selectUnreadSince } from '../store/queries/unread.ts'
import type { Reader } from '../store/store.ts'
import { settingsOf } from './project-settings.ts'
import { workFactsOf } from './work-facts.ts'

interface PairFacts extends OrderFacts {
  readonly held: Launch | undefined
}

export async function startFactsOf(reader: Reader, { agentId, projectId }: Pair, now: Instant): Promise<PairFacts> {
  const pair = { agentId, projectId }
  const launches = await liveLaunchesOf(reader, pair)
  const held = launches.find(({ state }) => state === 'held')
  return {
    ...(await workFactsOf(reader, pair)),
    startOutstanding: await anyOutstanding(reader, pair, launches),
    heldBecause: await whyHeld(reader, pair, held, now),
    startable: (await startableAgent(reader, pair)) !== undefined,
    isHeld: held !== undefined,
    held,
  }
}

async function anyOutstanding(reader: Reader, pair: Pair, launches: readonly Launch[]): Promise<boolean> {
  const live = launches.length > 0 ? await liveOfPair(reader, pair) : []
  for (const launch of launches) {
    if (launch.state === 'held') continue
    // Who was told to go and has not gone, or has a turn in hand that no agent session counts any more, is not replaced beside itself.
    if (launch.stopReason !== null || (await hasOrphanedTurn(reader, launch))) return true
    if (!(await hasSignedIn(reader, launch, live))) return true
  }
  return false
}

async function hasOrphanedTurn(reader: Reader, { id: launchId }: Launch): Promise<boolean> {
  if (!(await reader.first(selectRunningOfLaunch, { launchId }))) return false
  return (await newestOfLaunch(reader, launchId))?.state === 'ended'
}

/**
 * An agent that signs in with its passkey does not say which launch it is. A session that began after the process did may be its,
 * and then it must not be taken for one that never came.
 */
export const hasSignedIn = async (reader: Reader, launch: Launch, live: readonly LiveAgentSession[]): Promise<boolean> =>
  (await newestOfLaunch(reader, launch.id)) !== undefined ||
  live.some(({ launchId, createdAt }) => launchId === null && launch.startedAt !== null && createdAt >= launch.startedAt)

async function whyHeld(reader: Reader, pair: Pair, held: Launch | undefined, now: Instant): Promise<string | null> {
  const settings = await settingsOf(reader, pair.projectId)
  const since = later(now, -durationMs(settings, 'restart.window_seconds'))
  const failures = await failuresOf(reader, pair, since, failuresAllowed(settings))
  if (!held) return heldBecause(null, failures, settings)
  const newMessage = (await reader.first(selectUnreadSince, { ...pair, since: held.orderedAt })) !== undefined
  return heldBecause({ since: held.orderedAt, because: held.detail ?? '', newMessage }, failures, settings)
}

/** The agent, if a coordinator of ours can start it for this project: it has a command. One that does not pull is spoken to (CH12). */
export async function startableAgent(reader: Reader, { agentId, projectId }: Pair): Promise<AgentRow | undefined> {
  const agent = await reader.first(selectAgent, { id: agentId })
  if (agent?.command == null) return undefined
  return (await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })) && agent
}
