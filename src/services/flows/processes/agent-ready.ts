/**
 * Takes a coordinator's word that an agent is ready: its context is open, and what waited begins.
 */

import { systemId } from '../../../domain/access/caller.ts'
import type { Instant } from '../../../domain/instant.ts'
import { detailFrom, type Notice, noticesOf } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { coordinatorStream, projectStream, userSessionStream } from '../../../domain/stream-name.ts'
import type { LinkFact } from '../../../protocol/processes/link.ts'
import { contextsAllowed } from '../../../store/agents/agents.ts'
import type { Offers, RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import { noticeColumn, noticesColumn } from '../../../store/fields.ts'
import { processOf } from '../../../store/processes/launches.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { selectContextsOfLaunch } from '../../../store/turns/contexts.ts'
import { keepFirstOffers } from '../../turns/chat-options.ts'
import { getOrCreateContext, lockContext, roleContextKey } from '../../turns/context-record.ts'
import { contextOpened } from '../../turns/move-context.ts'
import { cutOffFor } from '../../turns/primer-record.ts'
import { moveRoleAgent } from '../consoles/move-role-agent.ts'
import { beginNextTurn } from '../turns/begin-turn.ts'
import { promptWithContext } from '../turns/send-prompt.ts'
import { changesAgain } from './agent-configured.ts'

type AgentReady = Extract<LinkFact, { type: 'agent-ready' }>

/** A process for chats or tasks is ready. The context opened with its start is open. */
export async function processReady(
  tx: Tx,
  launch: Launch,
  fact: AgentReady,
  { now }: Context,
): Promise<void> {
  const held = await tx.all(selectContextsOfLaunch, { launchId: launch.id })
  // 0: it was brought back into a conversation that has been deleted since.
  const limit = held.length === 0 && fact.how !== 'new' ? 0 : 1
  const holdsSeveral = (await contextsAllowed(tx, launch.agentId)) === null
  await tx.update('launches', {
    id: launch.id,
    ready_at: now,
    context_limit: holdsSeveral ? null : limit,
  })
  for (const row of held) {
    await lockContext(tx, row.conversation_key)
    await keepFirstOffers(tx, row, fact)
    const found = opened(fact, fact.notices?.['notRestored'], now)
    await contextOpened(tx, row, { ...found, primed_at: null })
  }
  tx.append(projectStream(launch.projectId), {
    type: 'process-ready',
    data: { process: processOf(launch) },
  })
}

export async function roleAgentReady(
  tx: Tx,
  agent: RoleAgentRow,
  launch: Launch,
  fact: AgentReady,
  context: Context,
): Promise<void> {
  const {
    acpSessionId,
    how,
    notRestored,
    workspace,
    branch,
    note,
    images,
    modes,
    modeId,
    options,
  } = fact
  const { commands = [], title = null }: Offers = JSON.parse(agent.offers)
  const offers: Offers = { images, modes, modeId, options, commands, title }
  const { pending, refused } = changesAgain(JSON.parse(agent.offers), offers, context)
  const details = {
    note: detailFrom(note, fact.notices?.['note']),
    notRestored: detailFrom(notRestored, fact.notices?.['notRestored']),
  }
  const notices = noticesColumn(agent.notices, details)
  const report = {
    workspace,
    branch,
    note,
    not_restored: notRestored,
    notices,
    offers: JSON.stringify({ ...offers, pending }),
  }
  const moved = { ...agent, ...report, acp_session_id: acpSessionId }
  const { decision, row } = await moveRoleAgent(tx, moved, { type: 'ready' }, {}, context)
  if (decision.became !== 'ready') return
  const { role, agent_id: agentId, project_id: projectId, user_session_id: userSessionId } = agent
  const contextKey = roleContextKey(agent)
  const { key } = contextKey
  const { now } = context
  const found = await getOrCreateContext(tx, contextKey, context)
  const restored = { not_restored: notRestored, notice: noticeColumn(details.notRestored) }
  const opened = {
    launch_id: launch.id,
    acp_session_id: acpSessionId,
    how,
    ...restored,
  }
  // CX2: an agent that was woken or was to be brought back, and has a new ACP session, must be
  // primed.
  const goesOn = agent.asleep_at !== null || agent.load_acp_session_id !== null
  const hasNews = (goesOn && how === 'new') || (await cutOffFor(tx, found)) !== null
  const primed_at = hasNews ? null : now
  await contextOpened(tx, found, { ...opened, opened_at: now, primed_at })
  const holdsSeveral = (await contextsAllowed(tx, launch.agentId)) === null
  const context_limit = holdsSeveral ? null : 1
  await tx.update('launches', { id: launch.id, ready_at: now, context_limit })
  const data = {
    role,
    agentId,
    conversation: key,
    workspace,
    branch,
    note,
    how,
    notRestored,
    notices: noticesOf(details),
    agentName: fact.agentName,
    agentVersion: fact.agentVersion,
    can: fact.can,
    ...offers,
  }
  const stream = userSessionStream(userSessionId)
  tx.append(stream, { type: 'agent:ready', data }, [projectStream(projectId)])
  for (const { change, error } of refused)
    tx.append(stream, {
      type: 'agent:configured',
      data: { role, change, error: error.text, notice: error.notice },
    })
  for (const wish of pending) {
    tx.append(coordinatorStream(launch.coordinatorId), {
      type: 'configure-ordered',
      data: { launchId: launch.id, ...wish },
    })
    tx.append(stream, {
      type: 'agent:configuring',
      data: { role, change: wish.change, by: systemId },
    })
  }
  if (agent.asleep_at === null) await promptWithContext(tx, row, launch, context)
  else await beginNextTurn(tx, launch, context)
}

/** What was told of a context that was opened. */
type OpenedFact = Pick<AgentReady, 'acpSessionId' | 'how' | 'notRestored'>

export const opened = (
  { acpSessionId: acp_session_id, how, notRestored }: OpenedFact,
  notice: Notice | null | undefined,
  now: Instant,
) => {
  const why = { not_restored: notRestored, notice: noticeColumn(detailFrom(notRestored, notice)) }
  return { acp_session_id, how, ...why, opened_at: now }
}
