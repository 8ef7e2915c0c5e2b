/**
 * Spawns an agent into a role of a user session (AG2): occupies the role, starts a work session
 * (WK4) and orders a process. On a role whose agent failed it is a retry. Later failures make the
 * agent FAILED.
 */
import { assignRole } from '../../../domain/consoles/lifecycle.ts'
import { Refusal } from '../../../domain/errors.ts'
import { order } from '../../../domain/processes/lifecycle.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { home, projectStream, userSessionStream } from '../../../domain/stream-name.ts'
import { maxRoleAgents } from '../../../protocol/consoles/user-session.ts'
import { type AgentRow, firstAcpAgent } from '../../../store/agents/agents.ts'
import {
  lifeOf,
  noOffers,
  selectAtWork,
  selectLastOpened,
  selectOccupants,
  type UserSessionRow,
} from '../../../store/consoles/user-sessions.ts'
import { findCoordinatorRow } from '../../../store/processes/coordinators.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import { selectAssignment } from '../../../store/projects/projects.ts'
import { newRow } from '../../../store/rows.ts'
import { defineUseCase, type Reader } from '../../../store/store.ts'
import { selectContextOf } from '../../../store/turns/contexts.ts'
import { selectOpenTurns } from '../../../store/turns/turns.ts'
import { selectRunningOfProject, type WorkSessionRow } from '../../../store/work/work-sessions.ts'
import type { StartMachine } from '../../consoles/queries.ts'
import {
  type AskedUserSession,
  isIdle,
  lockUserSession,
  rosterRefusal,
} from '../../consoles/role-agent-record.ts'
import { recordLaunch, stopLaunch } from '../../processes/launch-record.ts'
import { noSuchAgent } from '../../refusals.ts'
import { roleContextKey } from '../../turns/context-record.ts'
import { clearLimit, inheritLimit } from '../../turns/limit-record.ts'
import { beginWorkSession } from '../../work/end-work-session.ts'
import { isWorkedOn } from '../../work/plan-record.ts'
import { stopProcessOf } from './end-role-agent.ts'
import { addRoleAgent, moveRoleAgent } from './move-role-agent.ts'

export interface Spawn extends AskedUserSession, Omit<StartMachine, 'projectId'> {
  readonly role: string
  readonly agentId?: string | null | undefined
  readonly workspace?: string | null | undefined
  /**
   * Folders below which an absolute workspace may be, besides the project's and the console's own
   * (US8).
   */
  readonly workspaceRoots?: readonly string[] | undefined
  readonly load?: boolean | undefined
  /** The resumed work session to continue (RS2). Left out to start a new one. */
  readonly workSessionId?: string | undefined
  readonly by: string
  readonly requestId?: string | undefined
}

export interface Spawned {
  readonly seq: number
  /** FAILED: no coordinator could start it. */
  readonly state: 'SPAWNING' | 'FAILED'
}

export const spawnRoleAgent = defineUseCase('spawn-role-agent', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId }: Spawn) => [home, userSessionStream(userSessionId)],
  run: async (tx, input, context): Promise<Spawned> => {
    const { userSessionId, role, by, requestId } = input
    const { now, random } = context
    const userSession = await lockUserSession(tx, input)
    const { state, project_id: projectId } = userSession
    tx.lock(projectStream(projectId))
    const rows = await tx.all(selectOccupants, { userSessionId })
    const place = assignRole(
      { state, occupants: rows.map((row) => ({ ...lifeOf(row), role: row.role })) },
      role,
      maxRoleAgents,
    )
    if ('refused' in place) throw rosterRefusal(place)
    const agent = await agentFor(tx, projectId, input.agentId ?? null)
    const failed = place.replaces ? rows.find((row) => row.role === role) : undefined
    if (failed) {
      await stopProcessOf(tx, failed, context)
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
        {
          id: random.uuid(),
          agentId: agent.id,
          projectId,
          lane: '',
          coordinatorId: startOn,
          roleAgentId: id,
        },
        null,
      )
    const beginning = {
      project_id: projectId,
      current_agent_role: role,
      current_agent_type: agent.id,
    }
    const resumed =
      (await resumedWork(tx, projectId, input.workSessionId)) ??
      (await unattendedWork(tx, userSession, role, agent.id))
    const work = resumed ?? (await beginWorkSession(tx, beginning, context))
    const before = input.load
      ? await tx.first(selectLastOpened, { userSessionId, role, agentId: agent.id })
      : undefined
    const row = newRow('role_agents', {
      id,
      user_session_id: userSessionId,
      project_id: projectId,
      role,
      agent_id: agent.id,
      launch_id: launch ? launch.id : null,
      work_session_id: work.id,
      workspace_wanted: input.workspace ?? null,
      workspace_roots: input.workspaceRoots?.length ? JSON.stringify(input.workspaceRoots) : null,
      load_acp_session_id: before?.acp_session_id ?? null,
      opened_at: before?.opened_at ?? null,
      offers: before?.offers ?? JSON.stringify(noOffers),
      created_at: now,
      last_active_at: now,
    })
    await addRoleAgent(tx, row)
    if (failed?.agent_id === agent.id) {
      const runner = { role_agent_id: id, launch_id: row.launch_id, work_session_id: work.id }
      await inheritLimit(tx, roleContextKey(row), runner, context)
    } else if (failed) await clearLimit(tx, roleContextKey(failed), context)
    await tx.update('user_sessions', { id: userSessionId, last_active_at: now })
    const data = {
      role,
      agentId: agent.id,
      workspace: input.workspace ?? role,
      launchId: row.launch_id,
      by,
      requestId,
    }
    const seq = tx.append(userSessionStream(userSessionId), { type: 'agent:spawning', data })
    if (launch) await recordLaunch(tx, launch)
    else {
      const error = input.cannotStart ?? 'No coordinator is connected that could start it'
      await moveRoleAgent(tx, row, { type: 'failed', step: 'process', error }, {}, context)
    }
    return { seq, state: launch ? 'SPAWNING' : 'FAILED' }
  },
})

async function resumedWork(
  reader: Reader,
  projectId: string,
  workSessionId: string | undefined,
): Promise<WorkSessionRow | undefined> {
  const row =
    workSessionId === undefined ? undefined : await reader.row('sessions', { id: workSessionId })
  return row?.project_id === projectId && row.ended_at === null ? row : undefined
}

/**
 * Finds resumed work that nobody continues and that this agent did in the same role of another
 * console of the account (RS6).
 */
async function unattendedWork(
  reader: Reader,
  { project_id: projectId, account_id: accountId }: UserSessionRow,
  role: string,
  agentId: string,
): Promise<WorkSessionRow | undefined> {
  for (const work of await reader.all(selectRunningOfProject, { projectId })) {
    if (
      work.parent_session_id === null ||
      work.current_agent_role !== role ||
      work.current_agent_type !== agentId
    )
      continue
    const before = await reader.first(selectAtWork, { workSessionId: work.parent_session_id })
    const owner =
      before && (await reader.row('user_sessions', { id: before.user_session_id }))?.account_id
    if (owner === accountId && !(await isWorkedOn(reader, work))) return work
  }
  return undefined
}

/** The named agent, which must be assigned and speak ACP; or the project's first such agent. */
async function agentFor(
  reader: Reader,
  projectId: string,
  agentId: string | null,
): Promise<AgentRow> {
  if (agentId === null) {
    const first = await firstAcpAgent(reader, projectId)
    if (!first) throw new Refusal('agent_not_found', refusalText('noneSpeaksAcp'), { projectId })
    return first
  }
  const agent = await reader.row('agents', { id: agentId })
  const assigned = await reader.first(selectAssignment, {
    project_id: projectId,
    agent_id: agentId,
  })
  if (!agent || !assigned) throw noSuchAgent(agentId)
  if (agent.protocol !== 'acp' || agent.command === null)
    throw new Refusal('wrong_state', refusalText('pullsItself', { agent: agentId }), {
      agentId,
    })
  return agent
}

async function ifConnected(reader: Reader, coordinatorId: string | null): Promise<string | null> {
  if (coordinatorId === null) return null
  return (await findCoordinatorRow(reader, coordinatorId))?.state === 'connected'
    ? coordinatorId
    : null
}

interface RoleAgentPlace {
  readonly userSessionId: string
  readonly roleAgentId: string
}

/**
 * Puts an idle agent of an unattended console to sleep after the soft time-out of chats (AG7). Its
 * process ends; its role and context stay, and the next prompt wakes it. Running this too early or
 * twice changes nothing.
 */
export const sleepRoleAgent = defineUseCase('sleep-role-agent', {
  scope: 'server',
  on: 'nobody',
  streams: ({ userSessionId }: RoleAgentPlace) => [userSessionStream(userSessionId)],
  run: async (tx, { userSessionId, roleAgentId }, context): Promise<{ slept: boolean }> => {
    tx.lock(userSessionStream(userSessionId))
    const row = await tx.row('role_agents', { id: roleAgentId })
    const launch = row?.launch_id ? await findLaunch(tx, row.launch_id) : undefined
    if (
      !row ||
      launch?.state !== 'running' ||
      launch.stopReason !== null ||
      !(await isIdle(tx, row, context.now))
    )
      return { slept: false }
    await moveRoleAgent(tx, row, { type: 'sleep' }, {}, context)
    await stopLaunch(tx, launch, { reason: 'idle' }, context)
    return { slept: true }
  },
})

interface Wake extends RoleAgentPlace {
  /** From `find-start-machine`. */
  readonly startOn: string | null
}

/**
 * Starts a sleeping agent with queued prompts again (AG7): a new process in the same role,
 * workplace and context.
 */
export const wakeRoleAgent = defineUseCase('wake-role-agent', {
  scope: 'server',
  on: 'nobody',
  streams: ({ userSessionId }: Wake) => [userSessionStream(userSessionId)],
  run: async (
    tx,
    { userSessionId, roleAgentId, startOn },
    { now, random },
  ): Promise<{ woken: boolean }> => {
    tx.lock(userSessionStream(userSessionId))
    const row = await tx.row('role_agents', { id: roleAgentId })
    const before = row?.launch_id ? await findLaunch(tx, row.launch_id) : undefined
    const isAsleep =
      row?.state === 'ACTIVE' && row.asleep_at !== null && row.terminating_at === null
    if (!isAsleep || before?.state !== 'ended' || startOn === null) return { woken: false }
    if ((await tx.all(selectOpenTurns, { roleAgentId })).length === 0) return { woken: false }
    if ((await findCoordinatorRow(tx, startOn))?.state !== 'connected') return { woken: false }
    const { agent_id: agentId, project_id: projectId } = row
    const launch = order(
      now,
      { id: random.uuid(), agentId, projectId, lane: '', coordinatorId: startOn, roleAgentId },
      null,
    )
    const knew = await tx.first(selectContextOf, roleContextKey(row))
    await tx.update('role_agents', {
      id: row.id,
      launch_id: launch.id,
      load_acp_session_id: knew?.acp_session_id ?? null,
    })
    await recordLaunch(tx, launch)
    return { woken: true }
  },
})
