/**
 * Ends a launch's process: the launch with its reason, and exactly the agent session it held (PX2).
 */

import type { EndReason } from '../../../domain/agent-sessions/lifecycle.ts'
import { detectWork } from '../../../domain/agent-sessions/work-detection.ts'
import type { Instant } from '../../../domain/instant.ts'
import type { Detail } from '../../../domain/notices.ts'
import {
  endOf,
  type Launch,
  type LaunchEndReason,
  type LaunchEvent,
  type LeftBehind,
  whyStopped,
} from '../../../domain/processes/lifecycle.ts'
import { decideExit } from '../../../domain/processes/process-exit.ts'
import {
  liveOfPair,
  liveOfPost,
  newestOfLaunch,
} from '../../../store/agent-sessions/agent-sessions.ts'
import type { Context, Reader, Tx } from '../../../store/store.ts'
import { selectContextsOfLaunch } from '../../../store/turns/contexts.ts'
import { selectRunningOfLaunch } from '../../../store/turns/turns.ts'
import { workFactsOf } from '../../agent-sessions/agent-session-record.ts'
import { hasSignedIn, moveLaunch } from '../../processes/launch-record.ts'
import { lockContext } from '../../turns/context-record.ts'
import { putAllToSleep } from '../../turns/move-context.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'
import { endRoleAgentOf } from '../consoles/move-role-agent.ts'
import { beginElsewhere } from '../turns/begin-turn.ts'
import { endTurn } from '../turns/end-turn.ts'

type End =
  | Extract<LaunchEvent, { type: 'start-failed' | 'lost' }>
  | Omit<Extract<LaunchEvent, { type: 'exited' }>, 'left'>

export async function endProcess(
  tx: Tx,
  launch: Launch,
  end: End,
  context: Context,
): Promise<void> {
  if (launch.state === 'ended') return
  if (launch.roleAgentId !== null) await endInRole(tx, launch, end, context)
  else await endOutsideRoles(tx, launch, end, context)
  await beginElsewhere(tx, launch.projectId, context)
}

async function endOutsideRoles(tx: Tx, launch: Launch, end: End, context: Context): Promise<void> {
  const event =
    end.type === 'exited' ? { ...end, left: await leftBehind(tx, launch, context.now) } : end
  await requeueTurns(tx, launch, whyStopped(reasonOf(launch, end)), context)
  const reason = end.type === 'lost' ? 'coordinator_lost' : 'process_exited'
  await endSessionOf(tx, launch, reason, context)
  await moveLaunch(tx, launch, event, context)
}

/** The reason that the launch will have. */
function reasonOf(launch: Launch, end: End): LaunchEndReason | null {
  if (end.type === 'lost') return 'coordinator_lost'
  return end.type === 'exited' ? endOf(launch, end, null).reason : launch.stopReason
}

/**
 * Requeues the running turns, whose outcome is unknown, and puts the contexts to sleep for the next
 * process.
 */
async function requeueTurns(
  tx: Tx,
  { id: launchId }: Launch,
  why: Detail | undefined,
  context: Context,
): Promise<void> {
  for (const turn of await tx.all(selectRunningOfLaunch, { launchId }))
    await endTurn(tx, turn, { type: 'agent-gone', why }, {}, context)
  await putContextsToSleep(tx, launchId)
}

async function putContextsToSleep(tx: Tx, launchId: string): Promise<void> {
  for (const row of await tx.all(selectContextsOfLaunch, { launchId }))
    await lockContext(tx, row.conversation_key)
  await putAllToSleep(tx, launchId)
}

/** An agent in a role holds no agent session (AS4). Its place in the user session ends. */
async function endInRole(tx: Tx, launch: Launch, end: End, context: Context): Promise<void> {
  const ended = await moveLaunch(
    tx,
    launch,
    end.type === 'exited' ? { ...end, left: null } : end,
    context,
  )
  if (!ended) return
  await putContextsToSleep(tx, launch.id)
  await endRoleAgentOf(tx, ended, context)
}

async function endSessionOf(
  tx: Tx,
  launch: Launch,
  reason: EndReason,
  context: Context,
): Promise<void> {
  const live = await liveOfPair(tx, launch)
  const circumstances = { seenBefore: false, currentEpoch: null, launchesElsewhere: [], graceMs: 0 }
  const work = { hasTask: false, unreadMessages: 0 }
  const report = { remaining: 0, launchId: launch.id, epoch: null }
  const decision = decideExit(context.now, report, { ...circumstances, live, work })
  if (decision.decision !== 'ended') return
  for (const { id } of decision.ended) {
    const held = live.find((each) => each.id === id)
    if (held) await endAgentSession(tx, held, reason, context)
  }
}

/** CO7: whether it left work undone. An agent that signed out or was asked to end did not. */
async function leftBehind(reader: Reader, launch: Launch, now: Instant): Promise<LeftBehind> {
  const own = await newestOfLaunch(reader, launch.id)
  if (own && own.state !== 'active') return null
  const facts = await workFactsOf(reader, launch)
  if (own) {
    const { purpose } = detectWork(now, {
      ...facts,
      live: facts.live.filter((each) => each !== own.purpose),
    })
    return purpose === own.purpose ? 'in_mid_work' : null
  }
  if (detectWork(now, facts).purpose === 'no_work') return null
  return (await hasSignedIn(reader, launch, await liveOfPost(reader, launch)))
    ? null
    : 'never_signed_in'
}
