/**
 * The state of a work session's plan (WK5): done, failed, open, or stuck behind a failure, and who
 * must act. Pure.
 */
import type { TaskStatus } from './task-lifecycle.ts'

/**
 * `open`: something can still be done. `stuck`: everything left waits for a failed task. `failed`:
 * nothing is left, and all failed.
 */
export type PlanStanding = 'done' | 'failed' | 'open' | 'stuck'

export interface OpenTask {
  readonly id: string
  readonly status: TaskStatus
  readonly assignedTo: string | null
  readonly dependsOn: readonly string[]
  /** The first unfinished one. */
  readonly blockedBy: string | null
}

/** Someone who must act before the work continues. `task` is null when there is none. */
export type WaitsFor =
  | { readonly what: 'approval'; readonly approvalId: number }
  | { readonly what: 'agent'; readonly agentId: string; readonly taskId: string | null }
  | { readonly what: 'task'; readonly taskId: string | null }

/**
 * `open`: tasks neither completed nor failed. `statusOf`: the status of other tasks they depend on.
 * `allFailed`: no other task was completed, and some failed.
 */
export function planStanding(
  open: readonly OpenTask[],
  statusOf: (taskId: string) => TaskStatus | undefined,
  allFailed = false,
): PlanStanding {
  if (open.length === 0) return allFailed ? 'failed' : 'done'
  if (open.some(({ status }) => status !== 'blocked')) return 'open'
  const held = heldByFailure(open, statusOf)
  return open.every(({ id }) => held.has(id)) ? 'stuck' : 'open'
}

/** Blocked tasks that wait, directly or indirectly, for a failed one. */
function heldByFailure(
  open: readonly OpenTask[],
  statusOf: (taskId: string) => TaskStatus | undefined,
): Set<string> {
  const behind = Map.groupBy(
    open.flatMap(({ id, dependsOn }) => dependsOn.map((other) => ({ id, other }))),
    ({ other }) => other,
  )
  const held = new Set<string>()
  const reached = [...behind.keys()].filter((id) => statusOf(id) === 'failed')
  for (const other of reached)
    for (const { id } of behind.get(other) ?? []) {
      if (held.has(id)) continue
      held.add(id)
      reached.push(id)
    }
  return held
}

interface WaitingFacts {
  /** Undecided approvals and permissions. */
  readonly approvals: readonly number[]
  readonly open: readonly OpenTask[]
  /** Whether the agent is working in the project now. */
  readonly isAtWork: (agentId: string) => boolean
  /** The agent responsible for the whole work session. */
  readonly agentId: string | null
  /** Driven by an agent session or an agent in a role. */
  readonly isDriven: boolean
}

export function waitsFor({
  approvals,
  open,
  isAtWork,
  agentId,
  isDriven,
}: WaitingFacts): WaitsFor[] {
  const decisions = approvals.map((approvalId) => ({ what: 'approval', approvalId }) as const)
  if (open.length === 0)
    return isDriven || decisions.length > 0 ? decisions : [nothingToDo(agentId)]
  const ready = open.filter(({ status }) => status !== 'blocked')
  const others =
    ready.length > 0
      ? ready.flatMap((task) => whoFor(task, isAtWork))
      : blockersElsewhere(open).map((taskId) => ({ what: 'task', taskId }) as const)
  return [...decisions, ...others]
}

const nothingToDo = (agentId: string | null): WaitsFor =>
  agentId === null ? { what: 'task', taskId: null } : { what: 'agent', agentId, taskId: null }

function whoFor(
  { id: taskId, assignedTo }: OpenTask,
  isAtWork: (agentId: string) => boolean,
): WaitsFor[] {
  if (assignedTo === null) return [{ what: 'task', taskId }]
  return isAtWork(assignedTo) ? [] : [{ what: 'agent', agentId: assignedTo, taskId }]
}

/** Dependencies of blocked tasks outside the list: failed tasks, or tasks of other work. */
export function blockersElsewhere(open: readonly Pick<OpenTask, 'id' | 'blockedBy'>[]): string[] {
  const own = new Set(open.map(({ id }) => id))
  return [
    ...new Set(
      open.flatMap(({ blockedBy }) =>
        blockedBy === null || own.has(blockedBy) ? [] : [blockedBy],
      ),
    ),
  ]
}
