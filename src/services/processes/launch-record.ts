/**
 * Writes launches: the row, and the event in the project's stream with a copy in home. The calling use case locks both and the
 * coordinator's stream. Decisions are made in the domain.
 */

import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { decide, type Launch, type LaunchEvent } from '../../domain/processes/lifecycle.ts'
import { coordinatorStream, home, projectStream, type StreamName } from '../../domain/stream-name.ts'
import type { LaunchOrder } from '../../protocol/processes/link.ts'
import { selectAgent } from '../../store/agents/agents.ts'
import {
  findLaunch,
  insertLaunch,
  launchRow,
  processOf,
  updateLaunch,
  updateLaunchToken,
} from '../../store/processes/launches.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { noSuchLaunch } from '../refusals.ts'

export const launchStreams = (launch: Pick<Launch, 'projectId' | 'coordinatorId'>): StreamName[] => [
  home,
  projectStream(launch.projectId),
  coordinatorStream(launch.coordinatorId),
]

/** Returns undefined if the event changes nothing. */
export async function moveLaunch(
  tx: Tx,
  current: Launch,
  event: LaunchEvent,
  { now }: Pick<Context, 'now'>,
): Promise<Launch | undefined> {
  const decision = decide(now, current, event)
  if (decision.outcome === 'unchanged') return undefined
  const { launch, became } = decision
  await tx.write(updateLaunch, launchRow(launch))
  // CO4: the token expires with the launch.
  if (became === 'ended') await tx.write(updateLaunchToken, { id: launch.id, hash: null })
  tx.append(projectStream(launch.projectId), { type: `process-${became}`, data: { process: processOf(launch) } }, [home])
  return launch
}

export async function recordLaunch(tx: Tx, launch: Launch): Promise<void> {
  await tx.write(insertLaunch, launchRow(launch))
  const type = launch.state === 'held' ? 'process-held' : 'process-waiting'
  tx.append(projectStream(launch.projectId), { type, data: { process: processOf(launch) } }, [home])
}

/** The order of a launch, as sent to its coordinator. */
export async function orderOf(reader: Reader, launch: Launch): Promise<LaunchOrder> {
  const agent = await reader.first(selectAgent, { id: launch.agentId })
  const { id: launchId, agentId, projectId, stopReason } = launch
  return { launchId, agentId, projectId, maxProcesses: agent?.max_processes ?? null, state: 'waiting', stopReason }
}

/** Sends a waiting launch to its coordinator. `offered`: its particulars follow at once (offer-launch.ts). */
export async function sendOrder(tx: Tx, launch: Launch, offered = false): Promise<void> {
  const order = { ...(await orderOf(tx, launch)), offered }
  tx.append(coordinatorStream(launch.coordinatorId), { type: 'launch-ordered', data: { order } })
}

/** Orders the end of a launch, or ends it at once if it has not begun. */
export async function stopLaunch(
  tx: Tx,
  launch: Launch,
  stop: Omit<Extract<LaunchEvent, { type: 'stop' }>, 'type'>,
  context: Pick<Context, 'now'>,
): Promise<Launch | undefined> {
  const stopped = await moveLaunch(tx, launch, { type: 'stop', ...stop }, context)
  if (stopped && launch.state !== 'held')
    tx.append(coordinatorStream(launch.coordinatorId), {
      type: 'stop-ordered',
      data: { launchId: launch.id, reason: stop.reason },
    })
  return stopped
}

/** The streams to lock for a launch, from `locate-launch`. */
export interface LaunchLocks {
  readonly launchId: string
  readonly projectId: string
  readonly coordinatorId: string
  /** The user session of its role. Null for an agent that pulls its work. */
  readonly userSessionId: string | null
}

/**
 * Reads a launch inside the transaction. Its coordinator can change while it is held; then the wrong stream is locked and the
 * caller must retry.
 */
export async function existingLaunch(
  reader: Reader,
  { launchId, projectId, coordinatorId }: Omit<LaunchLocks, 'userSessionId'>,
): Promise<Launch> {
  const launch = await findLaunch(reader, launchId)
  if (!launch || launch.projectId !== projectId) throw noSuchLaunch(launchId)
  if (launch.coordinatorId !== coordinatorId) throw new Refusal('busy', refusalText('launchMoved'))
  return launch
}
