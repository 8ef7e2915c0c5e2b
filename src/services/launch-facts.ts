/** What is known about a launch and the session it holds, for who decides whether it has outlived what it was for. */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import type { LaunchFacts } from '../domain/agent-process/overdue.ts'
import type { AgentSession } from '../domain/agent-session/lifecycle.ts'
import { detectWork } from '../domain/agent-session/work-detection.ts'
import { type Instant, later } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import type { ProjectSettings } from '../domain/project/settings.ts'
import { liveOfPair } from '../store/queries/agent-sessions.ts'
import { newestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { connectedCoordinators } from '../store/queries/coordinators.ts'
import { selectRunningOfSession } from '../store/queries/turns.ts'
import type { Reader } from '../store/store.ts'
import { settingsOf } from './project-settings.ts'
import { hasSignedIn, startableAgent } from './start-facts.ts'
import { workFactsOf } from './work-facts.ts'

interface Moment {
  readonly now: Instant
  /** The last call on its session that this server remembers. */
  readonly lastSeenAt: Instant | null
}

export async function launchFactsOf(reader: Reader, launch: Launch, { now, lastSeenAt }: Moment): Promise<LaunchFacts> {
  const connected = await connectedCoordinators(reader)
  const settings = await settingsOf(reader, launch.projectId)
  const own = await newestOfLaunch(reader, launch.id)
  const holds = own && own.state !== 'ended' ? own : undefined
  return {
    startable: (await startableAgent(reader, launch)) !== undefined,
    hasWork: detectWork(now, await workFactsOf(reader, launch)).purpose !== 'no_work',
    coordinator: connected.includes(launch.coordinatorId) ? 'here' : 'away',
    othersHere: connected.some((id) => id !== launch.coordinatorId),
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

/** NA6: calls and activity. The stored time of the last call (AS6) may be up to a minute behind what another node has heard. */
function lastHeardAt(held: AgentSession, lastSeenAt: Instant | null, settings: ProjectSettings): Instant {
  const storedCall = later(held.expiresAt, -durationMs(settings, 'agent_session.ttl_minutes'))
  const all = [held.createdAt, held.lastActivityAt, storedCall, lastSeenAt ?? held.createdAt]
  return all.reduce((latest, each) => (each > latest ? each : latest))
}
