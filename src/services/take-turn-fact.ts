/**
 * What a coordinator says of an agent that is spoken to over ACP: it is ready or not, a piece of what it says, a question, the end of a
 * turn. A piece is one event in the user session and nothing else. What is told of a turn that is over, or of an agent that has gone, is
 * dropped: nothing is undone by it.
 */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { projectStream, userSessionStream } from '../domain/stream/name.ts'
import { withChange } from '../domain/user-session/configuring.ts'
import { mask } from '../platform/mask.ts'
import type { LinkFact } from '../protocol/link.ts'
import { type Offers, type RoleAgentRow, selectRoleAgent, updateRoleAgent } from '../store/queries/role-agents.ts'
import { selectTurn, type TurnRow } from '../store/queries/turns.ts'
import type { Context, Tx } from '../store/store.ts'
import { promptWithContext } from './first-prompt.ts'
import { stopLaunch } from './launch-record.ts'
import { keepLimit, noLimit } from './limit-record.ts'
import { askPermission, withdrawAsked, withdrawPermissions } from './permission-record.ts'
import type { Ends } from './process-end.ts'
import { moveRoleAgent } from './role-agent-record.ts'
import { takeChatFact } from './take-chat-fact.ts'
import { endTurn, noteSaid, startNext } from './turn-record.ts'
import { registerWorktree } from './worktree-record.ts'

type TurnFactType =
  | 'workspace-made'
  | 'agent-ready'
  | 'agent-failed'
  | 'agent-configured'
  | 'turn-update'
  | 'turn-ended'
  | 'permission-asked'
  | 'permission-withdrawn'
export type TurnFact = Extract<LinkFact, { type: TurnFactType }>

export async function takeTurnFact(
  tx: Tx,
  fact: TurnFact,
  launch: Launch,
  { userSessionIds }: Ends,
  context: Context,
): Promise<void> {
  if (launch.roleAgentId === null) return launch.state === 'ended' ? undefined : takeChatFact(tx, fact, launch, context)
  const agent = await tx.first(selectRoleAgent, { id: launch.roleAgentId })
  if (launch.state === 'ended' || agent?.launch_id !== launch.id || !userSessionIds.includes(agent.user_session_id)) return
  switch (fact.type) {
    case 'workspace-made':
      return registerWorktree(tx, agent, launch, fact, context)
    case 'agent-ready':
      return becomeReady(tx, agent, fact, context)
    case 'agent-failed': {
      const error = mask(fact.error)
      await moveRoleAgent(tx, agent, { type: 'failed', step: fact.step, error }, {}, context)
      // Its coordinator ends it by itself; this is for the record, and for one that does not.
      await stopLaunch(tx, launch, { reason: 'start_failed', detail: error }, context)
      return
    }
    case 'turn-update':
      return update(tx, agent, fact)
    case 'turn-ended': {
      const turn = await runningTurn(tx, agent, fact.turnId)
      if (!turn) return
      await withdrawPermissions(tx, turn.id, context.now)
      const { outcome, stopReason, error } = fact
      const ended = await endTurn(tx, turn, { type: 'ended', outcome, stopReason, error: error && mask(error) }, {}, context)
      const limit = ended === false ? undefined : ended.limitedUntil
      const active = { ...agent, last_active_at: context.now }
      // What waits in line would only meet the limit too.
      if (limit !== undefined) return keepLimit(tx, active, turn.id, limit)
      // One that came back for a turn that met the limit is told that one next, by who looks after limits.
      const comesBack = agent.limited_until !== null && agent.goes_on_left > 0
      await tx.write(updateRoleAgent, comesBack ? active : { ...active, ...noLimit })
      return agent.terminating_at === null && !comesBack ? startNext(tx, agent.id, context) : undefined
    }
    case 'permission-asked': {
      const turn = await runningTurn(tx, agent, fact.turnId)
      if (turn) await askPermission(tx, askerOf(agent), fact, context.now)
      return
    }
    case 'agent-configured':
      return configured(tx, agent, fact)
    case 'permission-withdrawn':
      return withdrawAsked(tx, { launchId: launch.id, askId: fact.askId }, context.now)
  }
}

const askerOf = (agent: RoleAgentRow) => ({
  projectId: agent.project_id,
  agentId: agent.agent_id,
  workSessionId: agent.work_session_id,
  userSessionId: agent.user_session_id,
  role: agent.role,
})

async function runningTurn(tx: Tx, agent: RoleAgentRow, turnId: string): Promise<TurnRow | undefined> {
  const turn = await tx.first(selectTurn, { id: turnId })
  return turn?.state === 'running' && turn.role_agent_id === agent.id ? turn : undefined
}

async function becomeReady(
  tx: Tx,
  agent: RoleAgentRow,
  fact: Extract<TurnFact, { type: 'agent-ready' }>,
  context: Context,
): Promise<void> {
  const { acpSessionId, how, notRestored, workspace, branch, note, images, modes, modeId, options } = fact
  const offers: Offers = { images, modes, modeId, options }
  const known = { workspace, branch, note, not_restored: notRestored, offers: JSON.stringify(offers) }
  const { decision, row } = await moveRoleAgent(
    tx,
    { ...agent, ...known, acp_session_id: acpSessionId },
    { type: 'ready' },
    {},
    context,
  )
  if (decision.became !== 'ready') return
  const { role, agent_id: agentId } = agent
  const data = { role, agentId, workspace, branch, note, how, notRestored, ...offers }
  tx.append(userSessionStream(agent.user_session_id), { type: 'agent:ready', data }, [projectStream(agent.project_id)])
  await promptWithContext(tx, row, context)
}

async function update(tx: Tx, agent: RoleAgentRow, fact: Extract<TurnFact, { type: 'turn-update' }>): Promise<void> {
  const { turnId, update: said } = fact
  if (turnId !== null && !(await runningTurn(tx, agent, turnId))) return
  if (turnId !== null && said.kind === 'text') noteSaid(tx, turnId, said.text)
  if (said.kind === 'mode') await keepOffers(tx, agent, { modeId: said.modeId })
  if (said.kind === 'options') await keepOffers(tx, agent, { options: said.options })
  if (said.kind === 'usage') await keepOffers(tx, agent, { usage: { used: said.used, size: said.size, cost: said.cost } })
  const data = { messageId: turnId, update: said, role: agent.role }
  tx.append(userSessionStream(agent.user_session_id), { type: 'agent:update', data })
}

/** Rare, and what whoever comes later has to see as it is now. */
async function keepOffers(tx: Tx, agent: RoleAgentRow, changed: Partial<Offers>): Promise<void> {
  await tx.write(updateRoleAgent, { ...agent, offers: JSON.stringify({ ...JSON.parse(agent.offers), ...changed }) })
}

/** What was asked of it is done, or was refused: told once. */
async function configured(tx: Tx, agent: RoleAgentRow, fact: Extract<TurnFact, { type: 'agent-configured' }>): Promise<void> {
  const offers: Offers = JSON.parse(agent.offers)
  const left = (offers.pending ?? []).filter(({ configureId }) => configureId !== fact.configureId)
  if (left.length === (offers.pending ?? []).length) return
  const { change, error } = fact
  await keepOffers(tx, agent, { ...(error === null ? withChange(offers, change) : offers), pending: left })
  const data = { role: agent.role, change, error: error && mask(error) }
  tx.append(userSessionStream(agent.user_session_id), { type: 'agent:configured', data })
}
