/**
 * Ends an agent session and all that depends on it in one commit, for every end reason (AS9).
 * Callers decide whether.
 */

import {
  type AgentSession,
  decideAgentSession,
  type EndReason,
  type LiveAgentSession,
  type Transition,
} from '../../../domain/agent-sessions/lifecycle.ts'
import type { LaunchEndReason } from '../../../domain/processes/lifecycle.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import { endWithAgentSession } from '../../../domain/work/work-session-lifecycle.ts'
import {
  agentSessionOf,
  liveOfAgent,
  selectCompanion,
} from '../../../store/agent-sessions/agent-sessions.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import type { Context, Reader, Tx } from '../../../store/store.ts'
import { isPushed, selectRunningOfSession } from '../../../store/turns/turns.ts'
import { selectWaitingTask } from '../../../store/turns/turns-in-folders.ts'
import { selectDrivenBy, type WorkSessionRow } from '../../../store/work/work-sessions.ts'
import { maxRevoked } from '../../agent-sessions/agent-session-record.ts'
import { moveAgentSession } from '../../agent-sessions/move-agent-session.ts'
import { closeConversation } from '../../conversations/change-conversation.ts'
import { openConversationsOf } from '../../conversations/queries.ts'
import { finishWorkSession } from '../../work/end-work-session.ts'
import { planOf } from '../../work/plan-record.ts'
import { endTurn } from '../turns/end-turn.ts'

/** Returns false if the session had already ended. Then nothing changes. */
export async function endAgentSession(
  tx: Tx,
  current: AgentSession,
  reason: EndReason,
  context: Context,
): Promise<boolean> {
  tx.lock(projectStream(current.projectId))
  const because = await reasonOf(tx, current, reason)
  const decision = decideAgentSession(context.now, current, { type: 'end', reason: because })
  if (decision.outcome === 'unchanged') return false
  // Ended sessions are not asked for theirs.
  const openConversations = await openConversationsOf(tx, current)
  await moveAgentSession(tx, decision.agentSession)
  for (const transition of decision.transitions)
    appendTransition(tx, current, decision.agentSession, transition)
  // A pulling agent's turns are queued again. Pushed turns end with their process or their answer.
  for (const turn of await tx.all(selectRunningOfSession, { agentSessionId: current.id }))
    if (!isPushed(turn))
      await endTurn(tx, turn, { type: 'agent-gone' }, { isAnnounced: false }, context)
  const waiting = await tx.first(selectWaitingTask, { ...current, agentSessionId: current.id })
  if (waiting) await endTurn(tx, waiting, { type: 'withdraw' }, {}, context)
  for (const row of await tx.all(selectDrivenBy, {
    projectId: current.projectId,
    agentSessionId: current.id,
  }))
    await releaseWorkSession(tx, row, current, because, context)
  for (const conversationKey of openConversations)
    await closeConversation.run(tx, { conversationKey, agentSessionId: current.id }, context)
  return true
}

/** AS5: an ordered stop explains the end when the process exits or signs out because of it. */
async function reasonOf(
  reader: Reader,
  { launchId }: AgentSession,
  reason: EndReason,
): Promise<EndReason> {
  if (launchId === null || (reason !== 'process_exited' && reason !== 'logout')) return reason
  const stop = (await findLaunch(reader, launchId))?.stopReason
  return (stop && reasonByStop[stop]) ?? reason
}

const reasonByStop: Readonly<Partial<Record<LaunchEndReason, EndReason>>> = {
  idle: 'timeout',
  stopped_by_person: 'closed',
}

/** AS5: appends one event per transition, with the session as it was then. */
function appendTransition(
  tx: Tx,
  before: AgentSession,
  after: AgentSession,
  { to, at }: Transition,
): void {
  const standing = to === 'ended' ? after : ({ ...before, state: to, terminatingAt: at } as const)
  const data = { agentSession: agentSessionOf(standing) }
  tx.append(projectStream(before.projectId), { type: `agent-session-${to}`, data }, [home])
}

/**
 * Ends the work session that the agent session owned, or passes it to another agent session that
 * works in it.
 */
async function releaseWorkSession(
  tx: Tx,
  row: WorkSessionRow,
  left: AgentSession,
  reason: EndReason,
  { now }: Context,
): Promise<void> {
  const companion = await tx.first(selectCompanion, {
    workSessionId: row.id,
    agentSessionId: left.id,
  })
  if (companion) return tx.update('sessions', { id: row.id, owner_agent_session_id: companion.id })
  const end = endWithAgentSession(reason, await planOf(tx, row.id))
  if (end) await finishWorkSession(tx, row, end, now)
}

export async function revokeAgentSessions(
  tx: Tx,
  live: readonly LiveAgentSession[],
  context: Context,
): Promise<void> {
  for (const each of live) await endAgentSession(tx, each, 'revoked', context)
}

/** Ends all sessions of an agent, in whatever project. They begin under `home`'s lock. */
export async function revokeAllOfAgent(tx: Tx, agentId: string, context: Context): Promise<void> {
  tx.lock(home)
  await revokeAgentSessions(tx, await liveOfAgent(tx, agentId, maxRevoked), context)
}
