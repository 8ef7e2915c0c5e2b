/** Orders launches and their ends. */

import type { AgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { detectWork } from '../../domain/agent-sessions/work-detection.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { type Launch, type LaunchEndReason, type LaunchFacts, order, overdue } from '../../domain/processes/lifecycle.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import type { OfflinePeriod } from '../../domain/silence.ts'
import { userSessionStream } from '../../domain/stream-name.ts'
import type { Process } from '../../protocol/processes/process.ts'
import { liveOfPair, newestOfLaunch, type Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { connectedCoordinators, findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { liveLaunchesOf, processOf } from '../../store/processes/launches.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { selectRunningOfSession } from '../../store/turns/turns.ts'
import { workFactsOf } from '../agent-sessions/agent-session-record.ts'
import { endRoleAgentOf } from '../consoles/role-agent-record.ts'
import { checkAssigned, settingsOf } from '../projects/project-record.ts'
import {
  existingLaunch,
  hasSignedIn,
  type LaunchLocks,
  launchStreams,
  moveLaunch,
  recordLaunch,
  sendOrder,
  startableAgent,
  startFactsOf,
  stopLaunch,
} from './launch-record.ts'
import type { OfferId } from './take-launch.ts'

interface Order extends Pair, OfferId {
  /** Chosen by `find-start`. */
  readonly coordinatorId: string
}

/**
 * Orders a launch if the pair needs one (CO3): it has work and no live session, no launch is outstanding, the agent can be
 * started, and a coordinator is connected. Decided under the project's lock, so that concurrent calls order one. After too many
 * failures the launch is held (CO7); a new message releases it.
 */
export const orderLaunch = defineUseCase('order-launch', {
  streams: (input: Order) => launchStreams(input),
  run: async (tx, { agentId, projectId, coordinatorId, offeredAs }, context): Promise<Process | null> => {
    const { now, random } = context
    // The coordinator disconnected since; the next check chooses another.
    if ((await findCoordinatorRow(tx, coordinatorId))?.state !== 'connected') return null
    const facts = await startFactsOf(tx, { agentId, projectId }, now)
    const decision = decideOrder(now, facts)
    if (decision.order === 'none') return null
    if (decision.order === 'release') {
      const released = facts.held && (await moveLaunch(tx, facts.held, { type: 'release', coordinatorId }, context))
      if (released) await sendOrder(tx, released)
      return released ? processOf(released) : null
    }
    const because = decision.order === 'hold' ? decision.because : null
    const launch = order(now, { id: offeredAs ?? random.uuid(), agentId, projectId, coordinatorId }, because)
    await recordLaunch(tx, launch)
    if (launch.state === 'waiting') await sendOrder(tx, launch, offeredAs !== undefined)
    return processOf(launch)
  },
})

/** Orders the end of a launch. One that has not begun ends at once. A repeated order keeps the first reason. */
export const orderStop = defineUseCase('order-stop', {
  streams: (input: LaunchLocks & { reason: LaunchEndReason }) => [
    ...launchStreams(input),
    ...(input.userSessionId === null ? [] : [userSessionStream(input.userSessionId)]),
  ],
  run: async (tx, { reason, ...which }, context): Promise<Process> => {
    const launch = await existingLaunch(tx, which)
    const stopped = await stopLaunch(tx, launch, { reason }, context)
    if (stopped?.state === 'ended') await endRoleAgentOf(tx, stopped, context)
    return processOf(stopped ?? launch)
  },
})

/** Releases an agent that was held after too many failed starts (CO7). Does nothing if it is not held. */
export const releaseAgent = defineUseCase('release-agent', {
  /** `coordinatorId`: from `find-held-launch`. */
  streams: (input: Pair & { coordinatorId: string }) => launchStreams(input),
  run: async (tx, { coordinatorId, ...pair }, context): Promise<{ process: Process | null }> => {
    await checkAssigned(tx, pair)
    const held = (await liveLaunchesOf(tx, pair)).find(({ state }) => state === 'held')
    const released = held && (await moveLaunch(tx, held, { type: 'release', coordinatorId }, context))
    if (!released) return { process: null }
    await sendOrder(tx, released)
    return { process: processOf(released) }
  },
})

// Orders the end of a launch that is no longer needed (NA5, NA6). Running this twice or too early changes nothing.

interface SweepClock {
  readonly now: Instant
  /** The last call on its session that this server remembers. */
  readonly lastSeenAt: Instant | null
}

/** Loads the facts for deciding whether a launch is still needed. */
export async function launchFactsOf(reader: Reader, launch: Launch, { now, lastSeenAt }: SweepClock): Promise<LaunchFacts> {
  const connected = await connectedCoordinators(reader)
  const settings = await settingsOf(reader, launch.projectId)
  const own = await newestOfLaunch(reader, launch.id)
  const holds = own && own.state !== 'ended' ? own : undefined
  return {
    startable: (await startableAgent(reader, launch)) !== undefined,
    hasWork: detectWork(now, await workFactsOf(reader, launch)).purpose !== 'no_work',
    coordinator: connected.includes(launch.coordinatorId) ? 'here' : 'away',
    othersReachable: connected.some((id) => id !== launch.coordinatorId),
    signedIn: own !== undefined || (await hasSignedIn(reader, launch, await liveOfPair(reader, launch))),
    holds: holds
      ? {
          purpose: holds.purpose,
          lastHeardAt: lastHeardAt(holds, lastSeenAt, settings),
          unanswered: (await reader.first(selectRunningOfSession, { agentSessionId: holds.id })) !== undefined,
        }
      : null,
    signedOutAt: own?.state === 'ended' ? own.endedAt : null,
    settings,
  }
}

/** NA6: the latest of its calls and activity. The stored time of the last call (AS6) may be a minute behind another node's. */
function lastHeardAt(held: AgentSession, lastSeenAt: Instant | null, settings: ProjectSettings): Instant {
  const storedCall = later(held.expiresAt, -durationMs(settings, 'agent_session.ttl_minutes'))
  const all = [held.createdAt, held.lastActivityAt, storedCall, lastSeenAt ?? held.createdAt]
  return all.reduce((latest, each) => (each > latest ? each : latest))
}

interface SweepInput extends Omit<LaunchLocks, 'userSessionId'> {
  readonly deaf: readonly OfflinePeriod[]
  readonly lastSeenAt: Instant | null
}

export const sweepLaunch = defineUseCase('sweep-launch', {
  streams: (input: SweepInput) => launchStreams(input),
  run: async (tx, { deaf, lastSeenAt, ...which }, context): Promise<{ stopped: LaunchEndReason | null }> => {
    const { now } = context
    const launch = await existingLaunch(tx, which)
    const due = overdue(now, launch, await launchFactsOf(tx, launch, { now, lastSeenAt }), deaf)
    const stopped = due && (await stopLaunch(tx, launch, due, context))
    return { stopped: stopped ? due.reason : null }
  },
})
