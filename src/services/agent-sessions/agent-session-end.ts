/**
 * The end of an agent session, the same however it comes (AS9): what hangs on it ends with it, in the same commit, and nothing
 * else does. Decides nothing about whether it ends.
 */

import { type AgentSession, decide, type EndReason, type Transition } from '../../domain/agent-sessions/lifecycle.ts'
import type { LaunchEndReason } from '../../domain/processes/lifecycle.ts'
import { conversationStream, home, projectStream, type StreamName } from '../../domain/stream-name.ts'
import { withdrawn } from '../../domain/turns/lifecycle.ts'
import { endWithAgentSession } from '../../domain/work/work-session-lifecycle.ts'
import { agentSessionOf, changesOf, selectCompanion, updateAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { isPushed, selectRunningOfSession, updateTurn } from '../../store/turns/turns.ts'
import { selectWaitingTask } from '../../store/turns/turns-in-folders.ts'
import { selectDrivenBy, updateWorkSession, type WorkSessionRow } from '../../store/work/work-sessions.ts'
import { closeConversation } from '../conversations/close-conversation.ts'
import { giveBackTurn } from '../turns/give-back-turn.ts'
import { finishWorkSession } from '../work/finish-work-session.ts'
import { planOf } from '../work/plan-record.ts'

/** What a use case that may end agent sessions of a project has to be told and to lock. */
export interface MayEnd {
  readonly projectId: string
  /** From `find-open-conversations`; one that was opened since is closed by the sweeper. */
  readonly openConversations: readonly string[]
}

/** With home, because the end of a work session is told there too. */
export const endingStreams = ({ projectId, openConversations }: MayEnd): StreamName[] => [
  home,
  projectStream(projectId),
  ...openConversations.map(conversationStream),
]

/** False when it had ended before: then nothing changes, its reason least of all. */
export async function endAgentSession(
  tx: Tx,
  current: AgentSession,
  { reason, openConversations }: { readonly reason: EndReason; readonly openConversations: readonly string[] },
  context: Context,
): Promise<boolean> {
  const because = await reasonOf(tx, current, reason)
  const decision = decide(context.now, current, { type: 'end', reason: because })
  if (decision.outcome === 'unchanged') return false
  await tx.write(updateAgentSession, changesOf(decision.agentSession))
  for (const transition of decision.transitions) tell(tx, current, decision.agentSession, transition)
  // What an agent that pulls has in hand is told again; what was pushed ends with its process, or by its answer.
  for (const turn of await tx.all(selectRunningOfSession, { agentSessionId: current.id }))
    if (!isPushed(turn)) await giveBackTurn(tx, turn, openConversations, context)
  const waiting = await tx.first(selectWaitingTask, { ...current, agentSessionId: current.id })
  if (waiting) await tx.write(updateTurn, { ...waiting, state: 'cancelled', stop_reason: withdrawn, ended_at: context.now })
  for (const row of await tx.all(selectDrivenBy, { projectId: current.projectId, agentSessionId: current.id }))
    await leave(tx, row, current, because, context)
  for (const conversationKey of openConversations)
    await closeConversation.run(tx, { conversationKey, agentSessionId: current.id }, context)
  return true
}

/** AS5: a stop that was ordered explains the end, whatever its process makes of it: it exits, or signs out when it is told to go. */
async function reasonOf(reader: Reader, { launchId }: AgentSession, reason: EndReason): Promise<EndReason> {
  if (launchId === null || (reason !== 'process_exited' && reason !== 'logout')) return reason
  const stop = (await findLaunch(reader, launchId))?.stopReason
  return (stop && byStop[stop]) ?? reason
}

const byStop: Readonly<Partial<Record<LaunchEndReason, EndReason>>> = { idle: 'timeout', stopped_by_person: 'closed' }

/** AS5: each step is an event of its own, as the session stood at it. */
function tell(tx: Tx, before: AgentSession, after: AgentSession, { to, at }: Transition): void {
  const standing = to === 'ended' ? after : ({ ...before, state: to, terminatingAt: at } as const)
  tx.append(projectStream(before.projectId), { type: `agent-session-${to}`, data: { agentSession: agentSessionOf(standing) } })
}

/** Ends the work session it drove, unless another agent session is at work in it: then that one drives it from now on. */
async function leave(tx: Tx, row: WorkSessionRow, left: AgentSession, reason: EndReason, { now }: Context): Promise<void> {
  const companion = await tx.first(selectCompanion, { workSessionId: row.id, agentSessionId: left.id })
  if (companion) return tx.write(updateWorkSession, { ...row, owner_agent_session_id: companion.id })
  const end = endWithAgentSession(reason, await planOf(tx, row.id))
  if (end) await finishWorkSession(tx, row, end, now)
}
