/**
 * Reads the state of a work session's plan, and ends the work session when nobody works on it and
 * nothing is left (WK5).
 */
import type { Instant } from '../../domain/instant.ts'
import {
  type OpenTask,
  type PlanStanding,
  planStanding,
  type WaitsFor,
  waitsFor,
} from '../../domain/work/plan.ts'
import type { TaskStatus } from '../../domain/work/task-lifecycle.ts'
import { endOfPlan } from '../../domain/work/work-session-lifecycle.ts'
import type { WorkSession } from '../../protocol/work/work-session.ts'
import {
  selectCompanion,
  selectLiveAgentSession,
} from '../../store/agent-sessions/agent-sessions.ts'
import { selectPendingOfWorkSession } from '../../store/approvals/approvals.ts'
import { selectAtWork } from '../../store/consoles/user-sessions.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  selectBlocked,
  selectUnblocked,
  selectWithStatus,
  type TaskRow,
} from '../../store/work/tasks.ts'
import type { WorkSessionRow } from '../../store/work/work-sessions.ts'
import { finishWorkSession } from './end-work-session.ts'

/** More than any plan has. */
const maxTasks = 100_000
/** Entries in a `waitsFor` list. */
const maxNamed = 20

const openTask = ({ id, status, assigned_to, depends_on, blocked_by }: TaskRow): OpenTask => ({
  id,
  status,
  assignedTo: assigned_to,
  dependsOn: JSON.parse(depends_on),
  blockedBy: blocked_by,
})

export async function planOf(reader: Reader, workSessionId: string): Promise<PlanStanding> {
  const ready = await reader.all(selectUnblocked, { workSessionId, limit: 1 })
  if (ready.length > 0) return 'open'
  const rows = await reader.all(selectBlocked, { workSessionId, limit: maxTasks })
  const open = rows.map(openTask)
  const allFailed = open.length === 0 && (await hasOnlyFailed(reader, workSessionId))
  return planStanding(open, await statusesOf(reader, rows[0]?.project_id, open), allFailed)
}

/** Asked about finished tasks only. Where one was completed, the failed ones are not looked for. */
const hasOnlyFailed = async (reader: Reader, workSessionId: string): Promise<boolean> =>
  (await reader.all(selectWithStatus, { workSessionId, status: 'completed', limit: 1 })).length ===
    0 &&
  (await reader.all(selectWithStatus, { workSessionId, status: 'failed', limit: 1 })).length > 0

/** Statuses of dependencies outside these tasks. */
async function statusesOf(
  reader: Reader,
  projectId: string | undefined,
  open: readonly OpenTask[],
) {
  const own = new Set(open.map(({ id }) => id))
  const statuses = new Map<string, TaskStatus | undefined>()
  for (const id of new Set(open.flatMap(({ dependsOn }) => dependsOn)))
    if (projectId !== undefined && !own.has(id))
      statuses.set(id, (await reader.row('tasks', { project_id: projectId, id }))?.status)
  return (id: string): TaskStatus | undefined => statuses.get(id)
}

/**
 * Ends a running work session that no agent works on any more, when all its tasks are done or
 * blocked by a failure. One created by hand that no agent took is ended by hand (WK4). The calling
 * use case locks `home` and the project's stream.
 */
export async function endFinishedPlan(
  tx: Tx,
  workSessionId: string | null,
  now: Instant,
): Promise<void> {
  const row = workSessionId === null ? undefined : await tx.row('sessions', { id: workSessionId })
  if (
    !row ||
    row.ended_at !== null ||
    (row.owner_agent_session_id === null && row.parent_session_id === null)
  )
    return
  if (await isWorkedOn(tx, row)) return
  const end = endOfPlan(await planOf(tx, row.id))
  if (end) await finishWorkSession(tx, row, end, now)
}

/** Whether an agent session or an agent in a role works on it. */
export async function isWorkedOn(
  reader: Reader,
  { id, owner_agent_session_id: ownerId }: WorkSessionRow,
): Promise<boolean> {
  const owner = ownerId === null ? undefined : await reader.row('agent_sessions', { id: ownerId })
  if (owner && owner.state !== 'ended') return true
  if (await reader.first(selectCompanion, { workSessionId: id, agentSessionId: ownerId ?? '' }))
    return true
  const role = await reader.first(selectAtWork, { workSessionId: id })
  return role?.state === 'SPAWNING' || role?.state === 'ACTIVE'
}

/** The same for a work session's public view. */
export async function waitsForWorkSession(
  reader: Reader,
  { id, state }: Pick<WorkSession, 'id' | 'state'>,
): Promise<WaitsFor[]> {
  const row = state === 'running' ? await reader.row('sessions', { id }) : undefined
  return row ? waitsForOf(reader, row) : []
}

/** Who must act before a running work session can continue. */
export async function waitsForOf(reader: Reader, row: WorkSessionRow): Promise<WaitsFor[]> {
  if (row.ended_at !== null) return []
  const query = { workSessionId: row.id, limit: maxNamed }
  const ready = await reader.all(selectUnblocked, query)
  const rows = ready.length > 0 ? ready : await reader.all(selectBlocked, query)
  const open = rows.map(openTask)
  const atWork = new Set<string>()
  for (const agentId of new Set(open.map(({ assignedTo }) => assignedTo))) {
    const pair = agentId !== null && {
      agentId,
      projectId: row.project_id,
      lane: '',
      purpose: 'task' as const,
    }
    if (pair && (await reader.first(selectLiveAgentSession, pair))) atWork.add(pair.agentId)
  }
  const facts = {
    approvals: (
      await reader.all(selectPendingOfWorkSession, { ...query, projectId: row.project_id })
    ).map(({ id }) => id),
    open,
    isAtWork: (agentId: string) => atWork.has(agentId),
    agentId: row.current_agent_type,
    isDriven: await isWorkedOn(reader, row),
  }
  return waitsFor(facts).slice(0, maxNamed)
}
