/** Orders the end of a launch that is no longer needed (NA5, NA6). Running this twice or too early changes nothing. */

import type { AgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { detectWork } from '../../domain/agent-sessions/work-detection.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { Launch, LaunchEndReason } from '../../domain/processes/lifecycle.ts'
import { type LaunchFacts, overdue } from '../../domain/processes/overdue.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import type { OfflinePeriod } from '../../domain/silence.ts'
import { liveOfPair, newestOfLaunch } from '../../store/agent-sessions/agent-sessions.ts'
import { connectedCoordinators } from '../../store/processes/coordinators.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { selectRunningOfSession } from '../../store/turns/turns.ts'
import { workFactsOf } from '../agent-sessions/agent-session-record.ts'
import { settingsOf } from '../projects/project-record.ts'
import { existingLaunch, hasSignedIn, type LaunchLocks, launchStreams, startableAgent, stopLaunch } from './launch-record.ts'

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
