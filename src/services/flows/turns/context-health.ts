/**
 * Recovers an agent that runs but cannot be prompted (CX7), on evidence: it refuses a prompt
 * without any output, or its session fails at a harmless request like at the prompt. The context is
 * first reopened in the same process, then in a new process with a new ACP session; then the turn
 * fails. What a vendor, a model or a person refuses is no such evidence. A prompt that produced
 * output is never repeated automatically, and the person is told.
 */

import type { EndReason } from '../../../domain/agent-sessions/lifecycle.ts'
import type { Instant } from '../../../domain/instant.ts'
import type { Detail } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import { denied } from '../../../domain/turns/lifecycle.ts'
import type { LinkFact } from '../../../protocol/processes/link.ts'
import { newestOfLaunch } from '../../../store/agent-sessions/agent-sessions.ts'
import { messagesOfTurn } from '../../../store/conversations/unread.ts'
import { contextLimit } from '../../../store/processes/launches.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { type ContextRow, selectContextsOfLaunch } from '../../../store/turns/contexts.ts'
import {
  isOfRole,
  selectRunningOfLaunch,
  type TurnRow,
  turnStream,
} from '../../../store/turns/turns.ts'
import { allowedInSandbox } from '../../approvals/allowance-record.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { changeContext, putToSleep } from '../../turns/move-context.ts'
import { moveTurn } from '../../turns/move-turn.ts'
import { noteInTurn, tellReturned } from '../../turns/tell-in-turn.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'
import { moveRoleAgent } from '../consoles/move-role-agent.ts'

type NotRun = NonNullable<Extract<LinkFact, { type: 'turn-ended' }>['notRun']>

/** Attempts for one prompt before it fails. */
const maxAttempts = 3

/** Queues a prompt again that did not run. Returns false when the attempts are used up. */
export async function retryTurn(
  tx: Tx,
  turn: TurnRow,
  launch: Launch,
  notRun: NotRun,
  context: Context,
): Promise<boolean> {
  const row =
    turn.context_id === null ? undefined : await tx.row('contexts', { id: turn.context_id })
  if (!row) return false
  // The process refused a second conversation beside the one it holds. It is limited to one from
  // now on.
  const others = (await tx.all(selectContextsOfLaunch, { launchId: launch.id })).filter(
    ({ id }) => id !== row.id,
  )
  if (notRun === 'no_context' && others.length > 0) {
    await tx.update('launches', { id: launch.id, ready_at: context.now, context_limit: 1 })
    await putToSleep(tx, row)
    await requeueTurn(tx, turn, context.now)
    return true
  }
  const trouble = row.trouble + 1
  if (trouble >= maxAttempts) {
    await putToSleep(tx, row, { trouble: 0, acp_session_id: null })
    return false
  }
  await requeueTurn(tx, turn, context.now)
  await reopenContext(tx, { ...row, trouble }, launch, context)
  return true
}

/**
 * What is wrong with the session of a turn that is about to end, as its coordinator found out. The
 * person is told in the turn.
 */
export function tellBroken(tx: Tx, turn: TurnRow, broken: string | null | undefined): void {
  if (broken) noteInTurn(tx, turn, statusNotice('contextBroken', { why: broken }))
}

/**
 * Updates a context's health after a turn: what shows that it works resets it, evidence that it
 * does not reopens it.
 */
export async function updateContextHealth(
  tx: Tx,
  turn: TurnRow,
  launch: Launch,
  {
    state,
    stopReason,
    isBroken,
  }: { readonly state: string; readonly stopReason: string | null; readonly isBroken: boolean },
  context: Context,
): Promise<void> {
  // SB9: only another process sees a folder that was allowed meanwhile.
  const { hasFolderSince } = await allowedInSandbox(tx, launch, context.now)
  if (hasFolderSince(launch.startedAt ?? launch.orderedAt))
    return replaceProcess(tx, launch, context, statusNotice('folderAllowed'))
  const row =
    turn.context_id === null ? undefined : await tx.row('contexts', { id: turn.context_id })
  if (!row || row.state === 'ended') return
  if (isBroken)
    return reopenContext(
      tx,
      { ...row, trouble: Math.min(row.trouble + 1, maxAttempts - 1) },
      launch,
      context,
    )
  const works = state === 'answered' || stopReason === denied
  if (works && row.trouble > 0) await changeContext(tx, row, { trouble: 0 })
}

/**
 * Reopens once in the same process if that can hold several contexts, then in another process with
 * a new ACP session.
 */
async function reopenContext(
  tx: Tx,
  row: ContextRow,
  launch: Launch,
  context: Context,
): Promise<void> {
  const { trouble } = row
  const limit = await contextLimit(tx, launch.id)
  if (trouble === 1 && limit === null) return putToSleep(tx, row, { trouble })
  const acp_session_id = trouble === 1 ? row.acp_session_id : null
  await putToSleep(tx, row, { trouble, acp_session_id })
  await replaceProcess(tx, launch, context)
}

/**
 * Replaces a process. Its running turns finish, it gets no new ones, and another process is started
 * for waiting turns.
 */
export async function replaceProcess(
  tx: Tx,
  launch: Launch,
  context: Context,
  detail: Detail = statusNotice('contextUseless'),
  reason: EndReason = 'closed',
): Promise<void> {
  const inRole =
    launch.roleAgentId === null
      ? undefined
      : await tx.row('role_agents', { id: launch.roleAgentId })
  if (inRole) await moveRoleAgent(tx, inRole, { type: 'sleep' }, {}, context)
  const own = await newestOfLaunch(tx, launch.id)
  if (own && own.state !== 'ended') await endAgentSession(tx, own, reason, context)
  const busy = (await tx.all(selectRunningOfLaunch, { launchId: launch.id })).length > 0
  if (!busy) await stopLaunch(tx, launch, { reason: 'finished', detail }, context)
}

async function requeueTurn(tx: Tx, turn: TurnRow, now: Instant): Promise<void> {
  await moveTurn(tx, turn, { type: 'not-run' }, now, {
    context_id: null,
    launch_id: null,
    agent_session_id: null,
    // A role's prompt is announced once and keeps its place in the queue.
    started_seq: isOfRole(turn) ? turn.started_seq : null,
    asked_seq: turn.asked_seq ?? (isOfRole(turn) ? turn.started_seq : null),
    primer: null,
    content: turn.about === 'chat' ? '[]' : turn.content,
  })
  const {
    id: turnId,
    agent_id: agentId,
    conversation_key: conversationKey,
    project_id: projectId,
  } = turn
  if (!isOfRole(turn)) {
    const withdrawn = { role: agentId, messageId: turnId, reason: 'not_run' }
    tx.append(turnStream(turn), { type: 'agent:withdrawn', data: withdrawn })
    tellReturned(tx, turn, await messagesOfTurn(tx, turnId))
  }
  tx.append(projectStream(projectId), {
    type: 'turn-waiting',
    data: { turnId, agentId, conversationKey },
  })
}
