/**
 * Finds approvals relevant to current work (AP8): about its unfinished tasks, from any work
 * session, and about the work along its lineage. Tool permissions are answered directly and left
 * out (AP4).
 */
import { type AgentDecision, briefly } from '../../domain/approvals/decision-for-agent.ts'
import type { Instant } from '../../domain/instant.ts'
import {
  type ApprovalRow,
  selectAboutTask,
  selectAboutTasks,
  selectAboutWork,
  selectAskedIn,
  selectPendingOfAgent,
} from '../../store/approvals/approvals.ts'
import type { Reader } from '../../store/store.ts'
import type { TaskRow } from '../../store/work/tasks.ts'
import { lineageOf } from '../../store/work/work-sessions.ts'

/** The newest decisions; more than one piece of work has. */
const maxDecisions = 50

/** A decision, and which agent session it was delivered to. */
export type DeliveredDecision = Pick<ApprovalRow, 'told_to' | 'leader_id'> & {
  readonly decision: AgentDecision
}

const decidedOf = (row: ApprovalRow): DeliveredDecision => ({
  told_to: row.told_to,
  leader_id: row.leader_id,
  decision: briefly({
    approvalId: row.id,
    taskId: row.task_id,
    checkpointType: row.checkpoint_type,
    question: row.instruction_content,
    status: row.status,
    feedback: row.feedback,
    decidedBy: row.decided_by,
    decidedAt: row.resolved_at,
  }),
})

async function aboutWork(reader: Reader, lineage: readonly string[]): Promise<ApprovalRow[]> {
  const rows: ApprovalRow[] = []
  for (const workSessionId of lineage) {
    if (rows.length >= maxDecisions) break
    rows.push(
      ...(await reader.all(selectAboutWork, { workSessionId, limit: maxDecisions - rows.length })),
    )
  }
  return rows
}

const newest = (rows: readonly ApprovalRow[]): DeliveredDecision[] =>
  rows
    .toSorted((a, b) => b.id - a.id)
    .slice(0, maxDecisions)
    .map(decidedOf)

/** Decisions about the work and these tasks, newest first. */
export async function decisionsAbout(
  reader: Reader,
  lineage: readonly string[],
  selection: TaskSelection,
): Promise<DeliveredDecision[]> {
  const rows = await aboutWork(reader, lineage)
  if ('workSessionId' in selection)
    rows.push(...(await reader.all(selectAboutTasks, { ...selection, limit: maxDecisions })))
  else
    for (const { project_id: projectId, id: taskId } of selection.tasks)
      rows.push(...(await reader.all(selectAboutTask, { projectId, taskId, limit: maxDecisions })))
  return newest(rows)
}

/** The unfinished tasks of a work session, or given tasks. */
export type TaskSelection =
  | { readonly projectId: string; readonly workSessionId: string }
  | { readonly tasks: readonly TaskRow[] }

/**
 * An agent's undecided requests in a conversation and those decided after `since`, newest first.
 */
export async function decisionsIn(
  reader: Reader,
  reading: { key: string; agentId: string },
  since: Instant | null,
): Promise<AgentDecision[]> {
  const rows = await reader.all(selectAskedIn, { ...reading, limit: maxDecisions })
  const isNews = ({ resolved_at }: ApprovalRow): boolean =>
    resolved_at === null || since === null || resolved_at > since
  return rows.filter(isNews).map((row) => decidedOf(row).decision)
}

interface WorkPosition {
  readonly agentId: string
  readonly projectId: string
  readonly workSessionId: string | null
}

const lineageAt = async (reader: Reader, workSessionId: string | null): Promise<string[]> => {
  const row =
    workSessionId === null ? undefined : await reader.row('sessions', { id: workSessionId })
  return row ? lineageOf(reader, row) : []
}

/** The agent's own requests about its current task and work, newest first. */
export async function decisionsAt(
  reader: Reader,
  { agentId, workSessionId }: WorkPosition,
  task: TaskRow,
): Promise<DeliveredDecision[]> {
  const found = await decisionsAbout(reader, await lineageAt(reader, workSessionId), {
    tasks: [task],
  })
  return found.filter(({ leader_id }) => leader_id === agentId)
}

/** NA11: the oldest pending approval that the agent waits for, from any of its sessions. */
export async function awaitedApproval(
  reader: Reader,
  at: WorkPosition,
  taskAtHand: TaskRow | undefined,
): Promise<number | null> {
  const { agentId, projectId, workSessionId } = at
  const pending = (await reader.all(selectPendingOfAgent, { projectId, agentId })).filter(
    ({ ask_id }) => ask_id === null,
  )
  if (pending.length === 0) return null
  const lineage = await lineageAt(reader, workSessionId)
  for (const { id, session_id, task_id } of pending) {
    if (task_id === null ? lineage.includes(session_id ?? '') : await isOwn(task_id)) return id
  }
  return null

  async function isOwn(id: string): Promise<boolean> {
    if (id === taskAtHand?.id) return true
    const task = await reader.row('tasks', { project_id: projectId, id })
    if (
      !task ||
      task.assigned_to !== agentId ||
      task.session_id === null ||
      task.session_id !== workSessionId
    )
      return false
    return task.status !== 'completed' && task.status !== 'failed'
  }
}
