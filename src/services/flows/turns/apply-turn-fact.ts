/**
 * Applies a coordinator's facts about an ACP agent in a role, chat or task: readiness, output,
 * permission requests, ends of turns. A piece of output is one event in the turn's stream. Facts
 * about an ended turn or process are ignored.
 */

import { detailFrom } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { projectStream, turnsStream, userSessionStream } from '../../../domain/stream-name.ts'
import { primerMark } from '../../../domain/turns/prompts.ts'
import { maskDetail } from '../../../platform/log/mask.ts'
import type { LinkFact } from '../../../protocol/processes/link.ts'
import { type AgentUpdate, stateKinds } from '../../../protocol/turns/agent-update.ts'
import { newestOfLaunch } from '../../../store/agent-sessions/agent-sessions.ts'
import type { Offers, RoleAgentRow, Usage } from '../../../store/consoles/user-sessions.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { type ContextRow, selectContextsOfLaunch } from '../../../store/turns/contexts.ts'
import { isOfRole, type TurnRow, turnStream } from '../../../store/turns/turns.ts'
import { keepAgentTitle } from '../../conversations/mark-conversation.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { keepOffers, keepOption, keepResult, shownInChats } from '../../turns/chat-options.ts'
import { lockContext } from '../../turns/context-record.ts'
import { changeContext, contextOpened } from '../../turns/move-context.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { primerForTurn } from '../../turns/primer-record.ts'
import { tellUpdate } from '../../turns/tell-in-turn.ts'
import { recordFiles } from '../../turns/turn-files.ts'
import { keepOutput } from '../../turns/turn-output.ts'
import { recordWorkplace, registerWorktree } from '../../worktrees/worktree-record.ts'
import { requestAnswer, requestPermission } from '../approvals/ask-person.ts'
import { withdrawRequest } from '../approvals/decide-request.ts'
import { moveRoleAgent, withLastOutput } from '../consoles/move-role-agent.ts'
import { agentConfigured, updateOffers } from '../processes/agent-configured.ts'
import { opened, processReady, roleAgentReady } from '../processes/agent-ready.ts'
import { tellReopened } from './start-in-context.ts'
import { turnEnded } from './turn-ended.ts'

type TurnFactType =
  | 'workspace-made'
  | 'agent-ready'
  | 'agent-failed'
  | 'agent-configured'
  | 'turn-began'
  | 'turn-update'
  | 'turn-ended'
  | 'turn-files'
  | 'permission-asked'
  | 'elicitation-asked'
  | 'permission-withdrawn'
export type TurnFact = Extract<LinkFact, { type: TurnFactType }>
type Fact<Type extends TurnFactType> = Extract<TurnFact, { type: Type }>

/** These come often. */
const saidByAgent: ReadonlySet<TurnFactType> = new Set(['turn-update', 'agent-configured'])

export async function applyTurnFact(
  tx: Tx,
  fact: TurnFact,
  launch: Launch,
  context: Context,
): Promise<void> {
  if (launch.state === 'ended') return
  // What an agent says is decided with its turn; all else with the project, too.
  if (!saidByAgent.has(fact.type)) tx.lock(projectStream(launch.projectId))
  if (launch.roleAgentId === null) return applyFact(tx, fact, launch, undefined, context)
  const agent = await tx.row('role_agents', { id: launch.roleAgentId })
  if (agent?.launch_id !== launch.id) return
  tx.lock(userSessionStream(agent.user_session_id))
  return applyFact(tx, fact, launch, agent, context)
}

/** `agent` is set for a process in a role. */
async function applyFact(
  tx: Tx,
  fact: TurnFact,
  launch: Launch,
  agent: RoleAgentRow | undefined,
  context: Context,
): Promise<void> {
  const { now } = context
  switch (fact.type) {
    case 'workspace-made':
      return agent
        ? registerWorktree(tx, agent, launch, fact, context)
        : workplaceMade(tx, launch, fact, context)
    case 'agent-ready':
      await tx.update('launches', { id: launch.id, agent_name: fact.agentName })
      return agent
        ? roleAgentReady(tx, agent, launch, fact, context)
        : processReady(tx, launch, fact, context)
    case 'agent-failed': {
      const error = maskDetail(detailFrom(fact.error, fact.notice))
      const { step, exitCode, signal } = fact
      const failed = {
        type: 'failed',
        step,
        exitCode,
        signal,
        error: await withLastOutput(tx, launch.id, error),
      } as const
      if (agent) await moveRoleAgent(tx, agent, failed, {}, context)
      // The coordinator normally ends the process itself. The order records the reason, and covers
      // a coordinator that does not.
      await stopLaunch(tx, launch, { reason: 'start_failed', detail: error }, context)
      return
    }
    case 'turn-began':
      return turnBegan(tx, launch, fact, context)
    case 'turn-update':
      return update(tx, launch, agent, fact, context)
    case 'turn-files': {
      const turn = await runningTurn(tx, launch, fact.turnId)
      if (!turn) return
      lockTurn(tx, turn)
      return recordFiles(tx, turn.id, fact)
    }
    case 'turn-ended': {
      const turn = await runningTurn(tx, launch, fact.turnId)
      return turn && turnEnded(tx, turn, { launch, agent }, fact, context)
    }
    case 'permission-asked':
    case 'elicitation-asked': {
      const turn = await runningTurn(tx, launch, fact.turnId)
      if (!turn) return
      const workSessionId = agent
        ? agent.work_session_id
        : ((await newestOfLaunch(tx, launch.id))?.workSessionId ?? null)
      const source = { turn, workSessionId }
      return fact.type === 'permission-asked'
        ? requestPermission(tx, source, fact, now)
        : requestAnswer(tx, source, fact, now)
    }
    case 'agent-configured':
      return agent ? agentConfigured(tx, agent, fact) : keepResult(tx, launch.id, fact)
    case 'permission-withdrawn':
      return withdrawRequest(tx, { launchId: launch.id, askId: fact.askId }, now)
  }
}

async function runningTurn(tx: Tx, launch: Launch, turnId: string): Promise<TurnRow | undefined> {
  const turn = await tx.row('turns', { id: turnId })
  if (turn?.state !== 'running' || turn.launch_id !== launch.id) return undefined
  tx.lock(turnStream(turn))
  return turn
}

/** Records where the context being opened works. Without git that is the project's folder. */
async function workplaceMade(
  tx: Tx,
  launch: Launch,
  fact: Fact<'workspace-made'>,
  context: Context,
): Promise<void> {
  const opening = (await tx.all(selectContextsOfLaunch, { launchId: launch.id })).find(
    ({ state }) => state === 'opening',
  )
  // An agent that pulls opens no context: what was made is its session's (SN10).
  const ofThread = launch.lane && { conversation_key: launch.lane, origin_key: '' }
  const contextOf = opening ?? ofThread
  if (!contextOf) return
  if (!opening) await lockContext(tx, contextOf.conversation_key)
  await recordWorkplace(tx, contextOf, launch, fact, context)
}

/** The context was opened for this turn. Records which primer it got. */
async function turnBegan(
  tx: Tx,
  launch: Launch,
  fact: Fact<'turn-began'>,
  { now }: Context,
): Promise<void> {
  const turn = await runningTurn(tx, launch, fact.turnId)
  const row = await tx.row('contexts', { id: fact.contextId })
  if (!turn || row?.launch_id !== launch.id || row.state !== 'opening') return
  await lockContext(tx, row.conversation_key)
  const priming = await primerForTurn(tx, row, turn, now)
  const primer = fact.how === 'new' ? priming.primer : priming.news
  await tx.update('turns', { id: turn.id, primer })
  if (!isOfRole(turn)) await keepOffers(tx, row, fact)
  // CX19: what is not told before a slash command is told before the next prompt.
  const primed_at = priming.primer === null ? null : now
  const change = { ...opened(fact, fact.notice, now), primed_at }
  await contextOpened(tx, row, change)
  await tellReopened(tx, turn, { ...row, ...change })
}

async function update(
  tx: Tx,
  launch: Launch,
  agent: RoleAgentRow | undefined,
  fact: Fact<'turn-update'>,
  context: Context,
): Promise<void> {
  const { turnId, update } = fact
  const turn = turnId === null ? undefined : await runningTurn(tx, launch, turnId)
  if ((turnId !== null && !turn) || isOurs(update)) return
  if (update.kind === 'output') return turn && keepOutput(tx, turn.id, update)
  const { kind, ...reported } = update
  if (agent && stateKinds.has(kind))
    await updateOffers(
      tx,
      agent,
      kind === 'usage' ? { usage: reported as Usage } : (reported as Partial<Offers>),
    )
  const row = fact.contextId ? await tx.row('contexts', { id: fact.contextId }) : undefined
  if (row?.launch_id === launch.id)
    await keepWithContext(tx, row, update, agent !== undefined, context)
  if (turn) tellUpdate(tx, turn, update)
  else if (agent) {
    const data = { messageId: null, update, role: agent.role }
    tx.append(userSessionStream(agent.user_session_id), { type: 'agent:update', data })
  }
}

/** CX19: agents name a conversation after its first prompt, which begins with the primer. */
const isOurs = (update: AgentUpdate): boolean =>
  update.kind === 'title' && (update.title ?? '').includes(primerMark)

/** An agent that was replaced names it no more; one between two agents may be named by both. */
const isPresentAgent = ({ kind, agent_id }: ConversationRow, agentId: string): boolean =>
  kind === 'agent' || agent_id === null || agent_id === agentId

/**
 * Keeps the commands of a chat's agent with its context, and its title with the conversation;
 * tells readers of a chat.
 */
async function keepWithContext(
  tx: Tx,
  row: ContextRow,
  update: AgentUpdate,
  isInRole: boolean,
  { now }: Context,
): Promise<void> {
  const { conversation_key: key, agent_id: role } = row
  if (update.kind === 'commands') {
    await lockContext(tx, key)
    await changeContext(tx, row, { commands: JSON.stringify(update.commands) })
  }
  if (update.kind === 'title') {
    const conversation = await tx.row('conversations', { key })
    if (conversation && isPresentAgent(conversation, role))
      await keepAgentTitle(tx, conversation, { title: update.title, agentId: role, now })
  }
  await keepOption(tx, row, update)
  if (!isInRole && shownInChats.has(update.kind))
    tx.append(turnsStream(key), {
      type: 'agent:update',
      data: { messageId: null, update, role },
    })
}
