/**
 * Spawns an agent into a role of a user session (AG2): occupies the role, starts a work session (WK4) and orders a process. On
 * a role whose agent failed it is a retry. Later failures make the agent FAILED.
 */

import { assignRole } from '../../domain/consoles/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { order } from '../../domain/processes/lifecycle.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { userSessionStream } from '../../domain/stream-name.ts'
import { maxRoleAgents } from '../../protocol/consoles/user-session.ts'
import { type AgentRow, firstAcpAgent } from '../../store/agents/agents.ts'
import { lifeOf, noOffers, selectAtWork, selectLastOpened, selectOccupants } from '../../store/consoles/user-sessions.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import { newRow } from '../../store/rows.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { selectRunningOfProject, type WorkSessionRow } from '../../store/work/work-sessions.ts'
import { recordLaunch, sendOrder } from '../processes/launch-record.ts'
import type { OfferId } from '../processes/take-launch.ts'
import { noSuchAgent } from '../refusals.ts'
import { roleContextKey } from '../turns/context-record.ts'
import { clearLimit, inheritLimit } from '../turns/limit-record.ts'
import { isWorkedOn } from '../work/plan-record.ts'
import { beginWorkSession } from '../work/work-session-record.ts'
import { stopProcessOf } from './end-role-agent.ts'
import type { FoundUserSession } from './queries.ts'
import { existingUserSession, moveRoleAgent, rosterRefusal, rosterStreams } from './role-agent-record.ts'

export interface Spawn extends FoundUserSession, OfferId {
  readonly role: string
  readonly agentId?: string | null | undefined
  readonly workspace?: string | null | undefined
  readonly load?: boolean | undefined
  /** The resumed work session to continue (RS2). Left out to start a new one. */
  readonly workSessionId?: string | undefined
  readonly by: string
  readonly requestId?: string | undefined
}

export const spawnRoleAgent = defineUseCase('spawn-role-agent', {
  streams: (input: Spawn) => rosterStreams(input),
  run: async (tx, input, context): Promise<{ seq: number }> => {
    const { userSessionId, projectId, role, by, requestId } = input
    const { now, random } = context
    const { state, account_id: accountId } = await existingUserSession(tx, userSessionId)
    const rows = await tx.all(selectOccupants, { userSessionId })
    const place = assignRole({ state, occupants: rows.map((row) => ({ ...lifeOf(row), role: row.role })) }, role, maxRoleAgents)
    if ('refused' in place) throw rosterRefusal(place)
    const agent = await agentFor(tx, projectId, input.agentId ?? null)
    const failed = place.replaces ? rows.find((row) => row.role === role) : undefined
    if (failed) {
      await stopProcessOf(tx, failed, input, context)
      await moveRoleAgent(
        tx,
        failed,
        { type: 'terminate', reason: statusNotice('replaced'), processLeft: false },
        { isReplaced: true },
        context,
      )
    }
    const startOn = await ifConnected(tx, input.startOn)
    const id = random.uuid()
    const launch =
      startOn &&
      order(
        now,
        { id: input.offeredAs ?? random.uuid(), agentId: agent.id, projectId, coordinatorId: startOn, roleAgentId: id },
        null,
      )
    const beginning = { project_id: projectId, current_agent_role: role, current_agent_type: agent.id }
    const resumed = (await resumedWork(tx, input)) ?? (await unattendedWork(tx, input, agent.id, accountId))
    const work = resumed ?? (await beginWorkSession(tx, beginning, context))
    const before = input.load ? await tx.first(selectLastOpened, { userSessionId, role, agentId: agent.id }) : undefined
    const row = newRow('role_agents', {
      id,
      user_session_id: userSessionId,
      project_id: projectId,
      role,
      agent_id: agent.id,
      launch_id: launch ? launch.id : null,
      work_session_id: work.id,
      workspace_wanted: input.workspace ?? null,
      load_acp_session_id: before?.acp_session_id ?? null,
      opened_at: before?.opened_at ?? null,
      offers: before?.offers ?? JSON.stringify(noOffers),
      created_at: now,
      last_active_at: now,
    })
    await tx.insert('role_agents', row)
    if (failed?.agent_id === agent.id) {
      const its = { role_agent_id: id, launch_id: row.launch_id, work_session_id: work.id }
      await inheritLimit(tx, roleContextKey(row), its, context)
    } else if (failed) await clearLimit(tx, roleContextKey(failed), context)
    await tx.change('user_sessions', { id: userSessionId, last_active_at: now })
    const data = { role, agentId: agent.id, workspace: input.workspace ?? role, launchId: row.launch_id, by, requestId }
    const seq = tx.append(userSessionStream(userSessionId), { type: 'agent:spawning', data })
    if (launch) {
      await recordLaunch(tx, launch)
      await sendOrder(tx, launch, input.offeredAs !== undefined)
    } else {
      const error = input.cannotStart ?? 'No coordinator is connected that could start it'
      await moveRoleAgent(tx, row, { type: 'failed', step: 'process', error }, {}, context)
    }
    return { seq }
  },
})

async function resumedWork(reader: Reader, { projectId, workSessionId }: Spawn): Promise<WorkSessionRow | undefined> {
  const row = workSessionId === undefined ? undefined : await reader.row('sessions', { id: workSessionId })
  return row?.project_id === projectId && row.ended_at === null ? row : undefined
}

/** Finds resumed work that nobody continues and that this agent did in the same role of another console of the account (RS6). */
async function unattendedWork(
  reader: Reader,
  { projectId, role }: Spawn,
  agentId: string,
  accountId: string,
): Promise<WorkSessionRow | undefined> {
  for (const work of await reader.all(selectRunningOfProject, { projectId })) {
    if (work.parent_session_id === null || work.current_agent_role !== role || work.current_agent_type !== agentId) continue
    const before = await reader.first(selectAtWork, { workSessionId: work.parent_session_id })
    const owner = before && (await reader.row('user_sessions', { id: before.user_session_id }))?.account_id
    if (owner === accountId && !(await isWorkedOn(reader, work))) return work
  }
  return undefined
}

/** The named agent, which must be assigned and speak ACP; or the project's first such agent. */
async function agentFor(reader: Reader, projectId: string, agentId: string | null): Promise<AgentRow> {
  if (agentId === null) {
    const first = await firstAcpAgent(reader, projectId)
    if (!first) throw new Refusal('agent_not_found', refusalText('noneSpeaksAcp'), { projectId })
    return first
  }
  const agent = await reader.row('agents', { id: agentId })
  const assigned = await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })
  if (!agent || !assigned) throw noSuchAgent(agentId)
  if (agent.protocol !== 'acp' || agent.command === null)
    throw new Refusal('wrong_state', refusalText('pullsItself', { agent: agentId }), {
      agentId,
    })
  return agent
}

async function ifConnected(reader: Reader, coordinatorId: string | null): Promise<string | null> {
  if (coordinatorId === null) return null
  return (await findCoordinatorRow(reader, coordinatorId))?.state === 'connected' ? coordinatorId : null
}
