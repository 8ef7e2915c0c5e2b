/**
 * An agent that is up and useless (CX4): it refuses a prompt it never showed anything of, ends twice in a row without an answer, or fails
 * two different prompts with the same error. First its context is brought back in the same process, by resume, load, or as a new one that
 * is primed; then the process is started again, without the session that may be poisoned; then the turn has failed, in words. A prompt that
 * showed anything is never told again by itself.
 */
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { statusText } from '../../domain/sentences.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import { newestOfLaunch } from '../../store/agent-sessions/agent-sessions.ts'
import { selectRoleAgent } from '../../store/consoles/role-agents.ts'
import { contextLimit, updateReady } from '../../store/processes/ready-launches.ts'
import type { Context, Tx } from '../../store/store.ts'
import { type ContextRow, selectContext, selectContextsOfLaunch, updateContext } from '../../store/turns/contexts.ts'
import { isOfRole, selectLastEndedIn, selectRunningOfLaunch, type TurnRow, updateTurn } from '../../store/turns/turns.ts'
import { endAgentSession } from '../agent-sessions/agent-session-end.ts'
import { moveRoleAgent } from '../consoles/role-agent-record.ts'
import { stopLaunch } from '../processes/launch-record.ts'

type NotRun = NonNullable<Extract<LinkFact, { type: 'turn-ended' }>['notRun']>

/** Tried so often in all; then it has failed. */
const maxTrouble = 3

/** A prompt that did not run waits again; false: it was tried often enough. */
export async function tryAgain(tx: Tx, turn: TurnRow, launch: Launch, notRun: NotRun, context: Context): Promise<boolean> {
  const row = turn.context_id === null ? undefined : await tx.first(selectContext, { id: turn.context_id })
  if (!row) return false
  // It holds no second conversation beside the one it has: that one has the process to itself from now on.
  const others = (await tx.all(selectContextsOfLaunch, { launchId: launch.id })).filter(({ id }) => id !== row.id)
  if (notRun === 'no_context' && others.length > 0) {
    await tx.write(updateReady, { id: launch.id, readyAt: context.now, contextLimit: 1 })
    await tx.write(updateContext, { ...row, state: 'asleep', launch_id: null, primed_at: null })
    await waitAgain(tx, turn)
    return true
  }
  const trouble = row.trouble + 1
  if (trouble >= maxTrouble) {
    await tx.write(updateContext, { ...row, trouble: 0, state: 'asleep', launch_id: null, acp_session_id: null, primed_at: null })
    return false
  }
  await waitAgain(tx, turn)
  await reopenContext(tx, { ...row, trouble }, launch, context)
  return true
}

/** After a turn that ran: an answer is a sign of health; a second failure of the same kind is not. */
export async function judgeContext(
  tx: Tx,
  turn: TurnRow,
  launch: Launch,
  ended: { readonly state: string; readonly stopReason: string | null; readonly error: string | null },
  context: Context,
): Promise<void> {
  const row = turn.context_id === null ? undefined : await tx.first(selectContext, { id: turn.context_id })
  if (!row || row.state === 'ended') return
  if (ended.state === 'answered') {
    if (row.trouble > 0) await tx.write(updateContext, { ...row, trouble: 0 })
    return
  }
  const before = await tx.first(selectLastEndedIn, { contextId: row.id, id: turn.id })
  const isSame =
    (ended.stopReason === 'empty' && before?.stop_reason === 'empty') ||
    (ended.stopReason === 'error' &&
      before?.stop_reason === 'error' &&
      before.error === ended.error &&
      before.content !== turn.content)
  if (isSame) await reopenContext(tx, { ...row, trouble: Math.min(row.trouble + 1, maxTrouble - 1) }, launch, context)
}

/** Once in the same process, where it can hold several; then in another, with a session of its own that nothing has poisoned. */
async function reopenContext(tx: Tx, row: ContextRow, launch: Launch, context: Context): Promise<void> {
  const asleep = { ...row, state: 'asleep', launch_id: null, primed_at: null } as const
  const limit = await contextLimit(tx, launch.id)
  if (row.trouble === 1 && limit === null) return tx.write(updateContext, asleep)
  await tx.write(updateContext, { ...asleep, acp_session_id: row.trouble === 1 ? row.acp_session_id : null })
  await restart(tx, launch, context)
}

/** Its other turns go on; it gets no new one, and the next process is started for what waits. */
export async function restart(tx: Tx, launch: Launch, context: Context): Promise<void> {
  const inRole = launch.roleAgentId === null ? undefined : await tx.first(selectRoleAgent, { id: launch.roleAgentId })
  if (inRole) await moveRoleAgent(tx, inRole, { type: 'sleep' }, {}, context)
  const own = await newestOfLaunch(tx, launch.id)
  if (own && own.state !== 'ended') await endAgentSession(tx, own, { reason: 'closed', openConversations: [] }, context)
  const busy = (await tx.all(selectRunningOfLaunch, { launchId: launch.id })).length > 0
  if (!busy) await stopLaunch(tx, launch, { reason: 'finished', detail: statusText('contextUseless') }, context)
}

async function waitAgain(tx: Tx, turn: TurnRow): Promise<void> {
  const again = {
    state: 'queued',
    context_id: null,
    launch_id: null,
    agent_session_id: null,
    // In a role it is told of once, and comes before those that were asked for later.
    started_seq: isOfRole(turn) ? turn.started_seq : null,
    asked_seq: turn.asked_seq ?? (isOfRole(turn) ? turn.started_seq : null),
    started_at: null,
  } as const
  await tx.write(updateTurn, { ...turn, ...again, primer: null, content: turn.about === 'chat' ? '[]' : turn.content })
  const { id: turnId, agent_id: agentId, conversation_key: conversationKey, project_id: projectId } = turn
  tx.append(projectStream(projectId), { type: 'turn-waiting', data: { turnId, agentId, conversationKey } })
}
