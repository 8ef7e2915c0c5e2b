/**
 * Orders, ends, sweeps and writes launches: the row, and the event in the project's stream with a
 * copy in home. They are decided under the lock of their project. Decisions are made in the domain.
 */
import type { AgentSession, LiveAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { detectWork } from '../../domain/agent-sessions/work-detection.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { Detail } from '../../domain/notices.ts'
import {
  chooseMachine,
  decideLaunch,
  type Launch,
  type LaunchEndReason,
  type LaunchEvent,
  type LaunchFacts,
  order,
  overdue,
} from '../../domain/processes/lifecycle.ts'
import {
  decideOrder,
  failuresAllowed,
  heldBecause,
  type OrderFacts,
} from '../../domain/processes/start.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { OfflinePeriod } from '../../domain/silence.ts'
import { coordinatorStream, home, projectStream } from '../../domain/stream-name.ts'
import type { Process } from '../../protocol/processes/process.ts'
import {
  liveOfPost,
  newestOfLaunch,
  type Pair,
  type Post,
  postOf,
} from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentRow } from '../../store/agents/agents.ts'
import { selectUnreadSince } from '../../store/conversations/unread.ts'
import {
  connectedCoordinators,
  findCoordinatorRow,
  type KnownCoordinatorRow,
  machinesHere,
} from '../../store/processes/coordinators.ts'
import {
  failuresOf,
  findLaunch,
  launchRow,
  liveLaunchesOf,
  processOf,
} from '../../store/processes/launches.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectRunningOfLaunch, selectRunningOfSession } from '../../store/turns/turns.ts'
import { workFactsOf } from '../agent-sessions/agent-session-record.ts'

import { checkAssigned, settingsOf } from '../projects/project-record.ts'
import { noSuchLaunch } from '../refusals.ts'

export async function lockLaunch(tx: Tx, launchId: string): Promise<Launch> {
  const launch = await findLaunch(tx, launchId)
  if (!launch) throw noSuchLaunch(launchId)
  tx.lock(projectStream(launch.projectId))
  return launch
}

/** Returns undefined if the event changes nothing. */
export async function moveLaunch(
  tx: Tx,
  current: Launch,
  event: LaunchEvent,
  { now }: Pick<Context, 'now'>,
): Promise<Launch | undefined> {
  tx.lock(projectStream(current.projectId))
  const decision = decideLaunch(now, current, event)
  if (decision.outcome === 'unchanged') return undefined
  const { launch, became } = decision
  await tx.update('launches', launchRow(launch))
  // CO4: the token expires with the launch.
  if (became === 'ended') await tx.update('launches', { id: launch.id, token_hash: null })
  tx.append(
    projectStream(launch.projectId),
    { type: `process-${became}`, data: { process: processOf(launch) } },
    [home],
  )
  return launch
}

export async function recordLaunch(tx: Tx, launch: Launch): Promise<void> {
  await tx.insert('launches', launchRow(launch))
  const type = launch.state === 'held' ? 'process-held' : 'process-waiting'
  tx.append(projectStream(launch.projectId), { type, data: { process: processOf(launch) } }, [home])
}

/** Orders the end of a launch, or ends it at once if it has not begun. */
export async function stopLaunch(
  tx: Tx,
  launch: Launch,
  stop: Omit<Extract<LaunchEvent, { type: 'stop' }>, 'type'>,
  context: Pick<Context, 'now'>,
): Promise<Launch | undefined> {
  const stopped = await moveLaunch(tx, launch, { type: 'stop', ...stop }, context)
  if (stopped && (launch.state === 'starting' || launch.state === 'running'))
    tx.append(coordinatorStream(launch.coordinatorId), {
      type: 'stop-ordered',
      data: { launchId: launch.id, reason: stop.reason },
    })
  return stopped
}

interface PostFacts extends OrderFacts {
  readonly held: Launch | undefined
}

/** Loads the facts for starting an agent in a project (CO3, CO7). */
export async function startFactsOf(reader: Reader, given: Post, now: Instant): Promise<PostFacts> {
  const post = postOf(given)
  const launches = await liveLaunchesOf(reader, post)
  const held = launches.find(({ state }) => state === 'held')
  return {
    ...(await workFactsOf(reader, post)),
    startOutstanding: await anyOutstanding(reader, post, launches),
    heldBecause: await heldReason(reader, post, held, now),
    startable: (await startableAgent(reader, post)) !== undefined,
    isHeld: held !== undefined,
    held,
  }
}

async function anyOutstanding(
  reader: Reader,
  post: Post,
  launches: readonly Launch[],
): Promise<boolean> {
  const live = launches.length > 0 ? await liveOfPost(reader, post) : []
  for (const launch of launches) {
    if (launch.state === 'held') continue
    // A process told to stop, or with a running turn after its session ended, is not replaced
    // before it is gone.
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
 * An agent that signs in with its passkey does not name its launch. A session that began after the
 * process may be its own, so the process is not treated as never signed in.
 */
export const hasSignedIn = async (
  reader: Reader,
  launch: Launch,
  live: readonly LiveAgentSession[],
): Promise<boolean> =>
  (await newestOfLaunch(reader, launch.id)) !== undefined ||
  live.some(
    ({ launchId, createdAt }) =>
      launchId === null && launch.startedAt !== null && createdAt >= launch.startedAt,
  )

/**
 * When a person last changed the agent or the project: failures before that say nothing about what
 * is there now (CO7).
 */
async function lastChangeOf(reader: Reader, { agentId, projectId }: Pair): Promise<Instant> {
  const agent = (await reader.row('agents', { id: agentId }))?.updated_at ?? ''
  const project = (await reader.row('projects', { id: projectId }))?.updated_at ?? ''
  return agent > project ? agent : project
}

async function heldReason(
  reader: Reader,
  post: Post,
  held: Launch | undefined,
  now: Instant,
): Promise<Detail | null> {
  const settings = await settingsOf(reader, post.projectId)
  const mended = await lastChangeOf(reader, post)
  const window = later(now, -durationMs(settings, 'restart.window_seconds'))
  const since = mended > window ? later(mended, -1) : window
  const failures = await failuresOf(reader, post, since, failuresAllowed(settings))
  if (!held) return heldBecause(null, failures, settings)
  const newMessage =
    mended > held.orderedAt ||
    (await reader.first(selectUnreadSince, { ...post, since: held.orderedAt })) !== undefined
  return heldBecause(
    { since: held.orderedAt, because: held.detail ?? '', newMessage },
    failures,
    settings,
  )
}

/**
 * The agent, if our coordinators can start it: it is assigned and has a command. ACP agents get
 * their turns pushed (CH12).
 */
export async function startableAgent(
  reader: Reader,
  { agentId, projectId }: Pair,
): Promise<AgentRow | undefined> {
  const agent = await reader.row('agents', { id: agentId })
  if (agent?.command == null) return undefined
  return (
    (await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })) && agent
  )
}

interface StartTarget {
  /** Undefined while the agent is not known. Then only the project's requirement counts. */
  readonly agentId: string | undefined
  readonly projectId: string
}

/**
 * The machine that an agent would be started on now (SC4): one with the labels that agent and
 * project require.
 */
export async function chosenMachine(
  reader: Reader,
  { agentId, projectId }: StartTarget,
): Promise<string | undefined> {
  const machines = await machinesHere(reader)
  if (machines.length === 0) return undefined
  const agent = agentId === undefined ? undefined : await reader.row('agents', { id: agentId })
  const labels = [agent?.runs_on, (await settingsOf(reader, projectId))['agent.runs_on']]
  return chooseMachine(
    machines,
    labels.map((each) => String(each ?? '')).filter((label) => label !== ''),
  )
}

/**
 * Checks a coordinator's epoch where its facts are stored (CO6), so that a replaced instance
 * changes nothing.
 */
export interface InEpoch {
  readonly coordinatorId: string
  readonly epoch: number
}

export async function requireCurrentEpoch(
  reader: Reader,
  { coordinatorId, epoch }: InEpoch,
): Promise<KnownCoordinatorRow> {
  const row = await findCoordinatorRow(reader, coordinatorId)
  if (!row) throw new Refusal('fenced', refusalText('notGreeted'), { epoch: 0 })
  if (row.epoch !== epoch) throw fenced(epoch, row.epoch)
  return row
}

export const fenced = (given: number | null, current: number): Refusal =>
  new Refusal('fenced', refusalText('epochTakenOver', { given: given ?? 'none', current }), {
    epoch: current,
  })

interface Order extends Post {
  /** Chosen by `find-start`. */
  readonly coordinatorId: string
}

/**
 * Orders a launch if the post needs one (CO3): it has work and no live session, no launch is
 * outstanding, the agent can be started, and a coordinator is connected. Decided under the
 * project's lock, so that concurrent calls order one. After too many failures the launch is held
 * (CO7); a new message releases it.
 */
export const orderLaunch = defineUseCase('order-launch', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId, coordinatorId }: Order) => [
    home,
    projectStream(projectId),
    coordinatorStream(coordinatorId),
  ],
  run: async (tx, { coordinatorId, ...given }, context): Promise<Process | null> => {
    const { now, random } = context
    const post = postOf(given)
    // The coordinator disconnected since; the next check chooses another.
    if ((await findCoordinatorRow(tx, coordinatorId))?.state !== 'connected') return null
    const facts = await startFactsOf(tx, post, now)
    const decision = decideOrder(now, facts)
    if (decision.order === 'none') return null
    if (decision.order === 'release') {
      const released =
        facts.held &&
        (await moveLaunch(tx, facts.held, { type: 'release', coordinatorId }, context))
      return released ? processOf(released) : null
    }
    const because = decision.order === 'hold' ? decision.because : null
    const launch = order(now, { id: random.uuid(), ...post, coordinatorId }, because)
    await recordLaunch(tx, launch)
    return processOf(launch)
  },
})

/**
 * Releases an agent that was held after too many failed starts (CO7), for its common processes.
 * Does nothing if it is not held.
 */
export const releaseAgent = defineUseCase('release-agent', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: Pair) => [home, projectStream(projectId)],
  run: async (tx, pair, context): Promise<{ process: Process | null }> => {
    await checkAssigned(tx, pair)
    const held = (await liveLaunchesOf(tx, { ...pair, lane: '' })).find(
      ({ state }) => state === 'held',
    )
    if (!held) return { process: null }
    const coordinatorId = (await chosenMachine(tx, pair)) ?? held.coordinatorId
    const released = await moveLaunch(tx, held, { type: 'release', coordinatorId }, context)
    return { process: released ? processOf(released) : null }
  },
})

// Orders the end of a launch that is no longer needed (NA5, NA6). Running this twice or too early
// changes nothing.

interface SweepClock {
  readonly now: Instant
  /** The last call on its session that this server remembers. */
  readonly lastSeenAt: Instant | null
}

/** Loads the facts for deciding whether a launch is still needed. */
export async function launchFactsOf(
  reader: Reader,
  launch: Launch,
  { now, lastSeenAt }: SweepClock,
): Promise<LaunchFacts> {
  const connected = await connectedCoordinators(reader)
  const settings = await settingsOf(reader, launch.projectId)
  const own = await newestOfLaunch(reader, launch.id)
  const holds = own && own.state !== 'ended' ? own : undefined
  return {
    startable: (await startableAgent(reader, launch)) !== undefined,
    hasWork: detectWork(now, await workFactsOf(reader, launch)).purpose !== 'no_work',
    coordinator: connected.includes(launch.coordinatorId) ? 'here' : 'away',
    othersReachable: connected.some((id) => id !== launch.coordinatorId),
    signedIn:
      own !== undefined || (await hasSignedIn(reader, launch, await liveOfPost(reader, launch))),
    holds: holds
      ? {
          purpose: holds.purpose,
          lastHeardAt: lastHeardAt(holds, lastSeenAt, settings),
          unanswered:
            (await reader.first(selectRunningOfSession, { agentSessionId: holds.id })) !==
            undefined,
        }
      : null,
    signedOutAt: own?.state === 'ended' ? own.endedAt : null,
    settings,
  }
}

/**
 * NA6: the latest of its calls and activity. The stored time of the last call (AS6) may be a minute
 * behind another node's.
 */
function lastHeardAt(
  held: AgentSession,
  lastSeenAt: Instant | null,
  settings: ProjectSettings,
): Instant {
  const storedCall = later(held.expiresAt, -durationMs(settings, 'agent_session.ttl_minutes'))
  const all = [held.createdAt, held.lastActivityAt, storedCall, lastSeenAt ?? held.createdAt]
  return all.reduce((latest, each) => (each > latest ? each : latest))
}

interface SweepInput {
  readonly launchId: string
  readonly offline: readonly OfflinePeriod[]
  readonly lastSeenAt: Instant | null
}

export const sweepLaunch = defineUseCase('sweep-launch', {
  scope: 'server',
  on: 'nobody',
  streams: (_: SweepInput) => [home],
  run: async (
    tx,
    { offline, lastSeenAt, launchId },
    context,
  ): Promise<{ stopped: LaunchEndReason | null }> => {
    const { now } = context
    const launch = await lockLaunch(tx, launchId)
    const due = overdue(now, launch, await launchFactsOf(tx, launch, { now, lastSeenAt }), offline)
    const stopped = due && (await stopLaunch(tx, launch, due, context))
    return { stopped: stopped ? due.reason : null }
  },
})
