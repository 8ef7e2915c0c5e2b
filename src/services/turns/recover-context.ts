/**
 * Recovers an agent that runs but gives no usable answers (CX4): it refuses a prompt without any output, ends twice in a row
 * without an answer, or fails two different prompts with the same error. The context is first reopened in the same process,
 * then in a new process with a new ACP session; then the turn fails. A prompt that produced output is never repeated
 * automatically.
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

/** Attempts for one prompt before it fails. */
const maxAttempts = 3

/** Queues a prompt again that did not run. Returns false when the attempts are used up. */
export async function retryTurn(tx: Tx, turn: TurnRow, launch: Launch, notRun: NotRun, context: Context): Promise<boolean> {
  const row = turn.context_id === null ? undefined : await tx.first(selectContext, { id: turn.context_id })
  if (!row) return false
  // The process refused a second conversation beside the one it holds. It is limited to one from now on.
  const others = (await tx.all(selectContextsOfLaunch, { launchId: launch.id })).filter(({ id }) => id !== row.id)
  if (notRun === 'no_context' && others.length > 0) {
    await tx.write(updateReady, { id: launch.id, readyAt: context.now, contextLimit: 1 })
    await tx.write(updateContext, { ...row, state: 'asleep', launch_id: null, primed_at: null })
    await requeueTurn(tx, turn)
    return true
  }
  const trouble = row.trouble + 1
  if (trouble >= maxAttempts) {
    await tx.write(updateContext, { ...row, trouble: 0, state: 'asleep', launch_id: null, acp_session_id: null, primed_at: null })
    return false
  }
  await requeueTurn(tx, turn)
  await reopenContext(tx, { ...row, trouble }, launch, context)
  return true
}

/**
 * Updates a context's health after a turn that ran: an answer resets it, a second failure of the same kind reopens the context.
 */
export async function updateContextHealth(
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
  if (isSame) await reopenContext(tx, { ...row, trouble: Math.min(row.trouble + 1, maxAttempts - 1) }, launch, context)
}

/** Reopens once in the same process if that can hold several contexts, then in another process with a new ACP session. */
async function reopenContext(tx: Tx, row: ContextRow, launch: Launch, context: Context): Promise<void> {
  const asleep = { ...row, state: 'asleep', launch_id: null, primed_at: null } as const
  const limit = await contextLimit(tx, launch.id)
  if (row.trouble === 1 && limit === null) return tx.write(updateContext, asleep)
  await tx.write(updateContext, { ...asleep, acp_session_id: row.trouble === 1 ? row.acp_session_id : null })
  await replaceProcess(tx, launch, context)
}

/** Replaces a process. Its running turns finish, it gets no new ones, and another process is started for waiting turns. */
export async function replaceProcess(tx: Tx, launch: Launch, context: Context): Promise<void> {
  const inRole = launch.roleAgentId === null ? undefined : await tx.first(selectRoleAgent, { id: launch.roleAgentId })
  if (inRole) await moveRoleAgent(tx, inRole, { type: 'sleep' }, {}, context)
  const own = await newestOfLaunch(tx, launch.id)
  if (own && own.state !== 'ended') await endAgentSession(tx, own, { reason: 'closed', openConversations: [] }, context)
  const busy = (await tx.all(selectRunningOfLaunch, { launchId: launch.id })).length > 0
  if (!busy) await stopLaunch(tx, launch, { reason: 'finished', detail: statusText('contextUseless') }, context)
}

async function requeueTurn(tx: Tx, turn: TurnRow): Promise<void> {
  const again = {
    state: 'queued',
    context_id: null,
    launch_id: null,
    agent_session_id: null,
    // A role's prompt is announced once and keeps its place in the queue.
    started_seq: isOfRole(turn) ? turn.started_seq : null,
    asked_seq: turn.asked_seq ?? (isOfRole(turn) ? turn.started_seq : null),
    started_at: null,
  } as const
  await tx.write(updateTurn, { ...turn, ...again, primer: null, content: turn.about === 'chat' ? '[]' : turn.content })
  const { id: turnId, agent_id: agentId, conversation_key: conversationKey, project_id: projectId } = turn
  tx.append(projectStream(projectId), { type: 'turn-waiting', data: { turnId, agentId, conversationKey } })
}
