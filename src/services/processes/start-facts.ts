/** Loads the facts for starting an agent in a project (CO3, CO7). */

import type { LiveAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { Detail } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { chooseMachine } from '../../domain/processes/placement.ts'
import { failuresAllowed, heldBecause } from '../../domain/processes/restart-intensity.ts'
import type { OrderFacts } from '../../domain/processes/start.ts'
import { durationMs } from '../../domain/projects/duration.ts'
import { liveOfPair, newestOfLaunch, type Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { type AgentRow, selectAgent } from '../../store/agents/agents.ts'
import { selectUnreadSince } from '../../store/conversations/unread.ts'
import { machinesHere } from '../../store/processes/coordinators.ts'
import { failuresOf, liveLaunchesOf } from '../../store/processes/launches.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'
import { selectRunningOfLaunch } from '../../store/turns/turns.ts'
import { workFactsOf } from '../agent-sessions/work-facts.ts'
import { settingsOf } from '../projects/project-record.ts'

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
    heldBecause: await heldReason(reader, pair, held, now),
    startable: (await startableAgent(reader, pair)) !== undefined,
    isHeld: held !== undefined,
    held,
  }
}

async function anyOutstanding(reader: Reader, pair: Pair, launches: readonly Launch[]): Promise<boolean> {
  const live = launches.length > 0 ? await liveOfPair(reader, pair) : []
  for (const launch of launches) {
    if (launch.state === 'held') continue
    // A process told to stop, or with a running turn after its session ended, is not replaced before it is gone.
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
 * An agent that signs in with its passkey does not name its launch. A session that began after the process may be its own, so
 * the process is not treated as never signed in.
 */
export const hasSignedIn = async (reader: Reader, launch: Launch, live: readonly LiveAgentSession[]): Promise<boolean> =>
  (await newestOfLaunch(reader, launch.id)) !== undefined ||
  live.some(({ launchId, createdAt }) => launchId === null && launch.startedAt !== null && createdAt >= launch.startedAt)

async function heldReason(reader: Reader, pair: Pair, held: Launch | undefined, now: Instant): Promise<Detail | null> {
  const settings = await settingsOf(reader, pair.projectId)
  const since = later(now, -durationMs(settings, 'restart.window_seconds'))
  const failures = await failuresOf(reader, pair, since, failuresAllowed(settings))
  if (!held) return heldBecause(null, failures, settings)
  const newMessage = (await reader.first(selectUnreadSince, { ...pair, since: held.orderedAt })) !== undefined
  return heldBecause({ since: held.orderedAt, because: held.detail ?? '', newMessage }, failures, settings)
}

/**
 * The agent, if one of our coordinators can start it: it is assigned and has a command. ACP agents get their turns pushed
 * (CH12).
 */
export async function startableAgent(reader: Reader, { agentId, projectId }: Pair): Promise<AgentRow | undefined> {
  const agent = await reader.first(selectAgent, { id: agentId })
  if (agent?.command == null) return undefined
  return (await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })) && agent
}

interface StartTarget {
  /** Undefined while the agent is not known. Then only the project's requirement counts. */
  readonly agentId: string | undefined
  readonly projectId: string
}

/** The machine that an agent would be started on now (SC4): one with the labels that agent and project require. */
export async function chosenMachine(reader: Reader, { agentId, projectId }: StartTarget): Promise<string | undefined> {
  const machines = await machinesHere(reader)
  if (machines.length === 0) return undefined
  const agent = agentId === undefined ? undefined : await reader.first(selectAgent, { id: agentId })
  const asked = [agent?.runs_on, (await settingsOf(reader, projectId))['agent.runs_on']]
  return chooseMachine(
    machines,
    asked.map((each) => String(each ?? '')).filter((label) => label !== ''),
  )
}
