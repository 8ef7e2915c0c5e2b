/**
 * Resumes interrupted work (RS1) as a child work session with the unfinished tasks. Concurrent
 * requests get one child; while it or a descendant runs, that is returned (RS3). Work that cannot
 * be read is not resumed, and is set aside after the second failure.
 */

import { Refusal } from '../../domain/errors.ts'
import { detailFields } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { blockersElsewhere } from '../../domain/work/plan.ts'
import { afterFailure, decideResume, type ResumeContext } from '../../domain/work/resume-context.ts'
import { answerOnWire } from '../../protocol/work/on-wire.ts'
import type { Missing, NotRestored, Resumed } from '../../protocol/work/resume.ts'
import { wholeListLimit } from '../../protocol/work/work-session.ts'
import { selectAtWork } from '../../store/consoles/user-sessions.ts'
import { connectedCoordinators } from '../../store/processes/coordinators.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectUnfinished, selectWithStatus, type TaskRow, taskOf } from '../../store/work/tasks.ts'
import {
  descendantsOf,
  type WorkSessionRow,
  workSessionOf,
} from '../../store/work/work-sessions.ts'
import { writeTask } from './change-task.ts'
import { beginWorkSession, existingWorkSession } from './end-work-session.ts'
import { isWorkedOn } from './plan-record.ts'
import { resumeContextOf, resumeContextWith } from './resume-context.ts'

/**
 * What is missing before resumed work starts (RS6). Empty if somebody works on it or will be
 * started (CO3). `resumedFrom` is the interrupted work session, `tasks` the unfinished ones.
 */
export async function missingToStart(
  reader: Reader,
  resumedFrom: string,
  tasks: readonly TaskRow[],
): Promise<Missing[]> {
  const missing =
    tasks.length > 0
      ? await missingForTasks(reader, tasks)
      : await missingTasks(reader, resumedFrom)
  const role =
    missing.length > 0
      ? await reader.first(selectAtWork, { workSessionId: resumedFrom })
      : undefined
  return role
    ? [
        {
          what: 'role',
          ...detailFields(
            'detail',
            statusNotice('roleNeeded', { agent: role.agent_id, role: role.role }),
          ),
        },
      ]
    : missing
}

async function missingForTasks(reader: Reader, tasks: readonly TaskRow[]): Promise<Missing[]> {
  const ready = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress')
  if (ready.length === 0) return blockedTasks(tasks)
  const missing: Missing[] = []
  for (const [agentId, [task]] of Map.groupBy(ready, ({ assigned_to }) => assigned_to)) {
    const needed = task && (await missingForAgent(reader, agentId, task))
    if (!needed) return []
    missing.push(needed)
  }
  return missing.slice(0, maxMissing)
}

const maxMissing = 5

const blockedTasks = (tasks: readonly TaskRow[]): Missing[] =>
  blockersElsewhere(tasks.map(({ id, blocked_by }) => ({ id, blockedBy: blocked_by })))
    .slice(0, maxMissing)
    .map(taskNeeded)

const taskNeeded = (task: string): Missing => ({
  what: 'task',
  ...detailFields('detail', statusNotice('taskNeeded', { task })),
})

/** No task is left: those that failed may be begun again. */
async function missingTasks(reader: Reader, workSessionId: string): Promise<Missing[]> {
  const failed = await reader.all(selectWithStatus, {
    workSessionId,
    status: 'failed',
    limit: maxMissing,
  })
  if (failed.length > 0) return failed.map(({ id }) => taskNeeded(id))
  return [{ what: 'task', ...detailFields('detail', statusNotice('noTaskLeft')) }]
}

export async function missingForAgent(
  reader: Reader,
  agentId: string | null,
  task: TaskRow,
): Promise<Missing | undefined> {
  if (agentId === null)
    return {
      what: 'agent',
      ...detailFields('detail', statusNotice('nobodyAssigned', { task: task.id })),
    }
  const agent = await reader.row('agents', { id: agentId })
  const assigned = await reader.first(selectAssignment, {
    project_id: task.project_id,
    agent_id: agentId,
  })
  if (!agent || !assigned)
    return {
      what: 'agent',
      ...detailFields(
        'detail',
        statusNotice('agentNotInProject', { agent: agentId, tasks: task.id }),
      ),
    }
  if (agent.command === null)
    return {
      what: 'agent',
      ...detailFields('detail', statusNotice('agentByHand', { agent: agentId })),
    }
  if ((await connectedCoordinators(reader)).length > 0) return undefined
  return {
    what: 'machine',
    ...detailFields('detail', statusNotice('noMachineFor', { agent: agentId })),
  }
}

/** More than any plan has. Further tasks stay where they are. */
const maxTasks = 100_000

/** Unfinished tasks, which move to a resumed work session (RS1). */
export const unfinishedOf = (reader: Reader, workSessionId: string): Promise<TaskRow[]> =>
  reader.all(selectUnfinished, { workSessionId, limit: maxTasks })

/** The work session's unfinished tasks and those of ended descendants (RS3), newest first. */
export async function carriedOver(reader: Reader, workSessionId: string): Promise<TaskRow[]> {
  const ids = [workSessionId, ...(await descendantsOf(reader, workSessionId)).map(({ id }) => id)]
  const rows: TaskRow[] = []
  for (const id of ids) rows.push(...(await unfinishedOf(reader, id)))
  return rows.sort((a, b) =>
    a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? 1 : -1,
  )
}

interface Input {
  readonly projectId: string
  readonly workSessionId: string
  readonly by: string
}

export type ResumeOutcome =
  | { readonly outcome: 'begun' | 'same'; readonly resumed: Resumed }
  | { readonly outcome: 'failed'; readonly setAside: string | null }

const maxReason = 500

export const resumeWorkSession = defineUseCase('resume-work-session', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { by, ...place }: Input, context): Promise<ResumeOutcome> => {
    const row = await existingWorkSession(tx, place)
    const running = (await descendantsOf(tx, row.id)).find(({ ended_at }) => ended_at === null)
    const { state } = workSessionOf(row)
    const decision = decideResume({
      state,
      setAside: row.set_aside,
      runningId: running?.id ?? null,
    })
    if (decision.outcome === 'refused') throw refusalOf(row.id, decision.refusal)
    // Everything is read before anything is written, so that a failed read leaves no partial
    // change.
    const read = await tryRead(() =>
      running ? prepareSame(tx, row, running) : prepareFork(tx, row),
    )
    if ('failure' in read) return recordFailure(tx, row, read.failure)
    return running ? same(running, read.found) : fork(tx, row, read.found, by, context)
  },
})

interface Prepared {
  readonly resumeContext: ResumeContext
  readonly tasks: readonly TaskRow[]
  readonly notRestored: NotRestored[]
  readonly missing: Missing[]
}

async function prepareFork(reader: Reader, row: WorkSessionRow): Promise<Prepared> {
  const tasks = await carriedOver(reader, row.id)
  for (const task of tasks) taskOf(task)
  return {
    resumeContext: await resumeContextWith(reader, row, tasks),
    tasks,
    notRestored: await missingAgents(reader, tasks),
    missing: await missingToStart(reader, row.id, tasks),
  }
}

async function prepareSame(
  reader: Reader,
  row: WorkSessionRow,
  child: WorkSessionRow,
): Promise<Prepared> {
  const tasks = await unfinishedOf(reader, child.id)
  for (const task of tasks) taskOf(task)
  return {
    resumeContext: await resumeContextOf(reader, child),
    tasks,
    notRestored: await missingAgents(reader, tasks),
    missing: (await isWorkedOn(reader, child)) ? [] : await missingToStart(reader, row.id, tasks),
  }
}

const same = (child: WorkSessionRow, prepared: Prepared): ResumeOutcome => ({
  outcome: 'same',
  resumed: resumedView(child, prepared),
})

async function fork(
  tx: Tx,
  row: WorkSessionRow,
  prepared: Prepared,
  by: string,
  context: Context,
): Promise<ResumeOutcome> {
  const { project_id, current_phase, current_agent_role, current_agent_type, context_summary } = row
  const inherited = {
    project_id,
    current_phase,
    current_agent_role,
    current_agent_type,
    context_summary,
  }
  const current_task_id = prepared.resumeContext.currentTask?.taskId ?? null
  const child = await beginWorkSession(
    tx,
    { ...inherited, current_task_id, parent_session_id: row.id },
    context,
  )
  const resumedRow = { ...row, resumed_by: child.id, resume_failures: 0 }
  await tx.update('sessions', { id: row.id, resumed_by: child.id, resume_failures: 0 })
  const event = {
    type: 'work-session-changed',
    data: { workSession: workSessionOf(resumedRow) },
  } as const
  tx.append(projectStream(row.project_id), event, [home])
  const tasks = prepared.tasks.map((task) => ({
    ...task,
    session_id: child.id,
    updated_at: context.now,
  }))
  for (const task of tasks) await writeTask(tx, task, { by, now: context.now })
  return { outcome: 'begun', resumed: resumedView(child, { ...prepared, tasks }) }
}

const resumedView = (
  child: WorkSessionRow,
  { resumeContext, tasks, notRestored, missing }: Prepared,
): Resumed =>
  answerOnWire({
    workSession: workSessionOf(child),
    resumeContext: resumeContext as Resumed['resumeContext'],
    decisions: [...resumeContext.decisions],
    remainingTasks: tasks.slice(0, wholeListLimit).map(taskOf),
    notRestored,
    missing,
  })

/** RS2: agents with tasks here that are no longer assigned. */
async function missingAgents(reader: Reader, tasks: readonly TaskRow[]): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  const byAgent = Map.groupBy(tasks, ({ assigned_to }) => assigned_to)
  for (const [agentId, itsTasks] of byAgent) {
    const [task] = itsTasks
    if (agentId === null || !task) continue
    if (await reader.first(selectAssignment, { project_id: task.project_id, agent_id: agentId }))
      continue
    const ids = itsTasks.map(({ id }) => id)
    missing.push({
      what: 'agent',
      ...detailFields(
        'detail',
        statusNotice('agentNotInProject', { agent: agentId, tasks: listed(ids) }),
      ),
    })
  }
  return missing
}

const maxNamed = 5

const listed = (ids: readonly string[]): string =>
  ids.length <= maxNamed
    ? ids.join(', ')
    : `${ids.slice(0, maxNamed).join(', ')} and ${ids.length - maxNamed} more`

async function tryRead<Found>(
  work: () => Promise<Found>,
): Promise<{ found: Found } | { failure: string }> {
  try {
    return { found: await work() }
  } catch (error) {
    // An unreadable row is this work session's problem; other errors are not.
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
    return { failure: error.message.slice(0, maxReason) }
  }
}

async function recordFailure(tx: Tx, row: WorkSessionRow, why: string): Promise<ResumeOutcome> {
  const { failures, setAside } = afterFailure(
    row.resume_failures,
    `It could not be resumed: what is stored of it cannot be read (${why})`,
  )
  const failed = { ...row, resume_failures: failures, set_aside: setAside }
  await tx.update('sessions', { id: row.id, resume_failures: failures, set_aside: setAside })
  const event = {
    type: 'work-session-changed',
    data: { workSession: workSessionOf(failed) },
  } as const
  if (setAside !== null) tx.append(projectStream(row.project_id), event, [home])
  return { outcome: 'failed', setAside }
}

export function refusalOf(
  workSessionId: string,
  refusal:
    | { code: 'work_session_running' | 'work_session_completed' }
    | { code: 'set_aside'; reason: string },
): Refusal {
  if (refusal.code !== 'set_aside') return new Refusal(refusal.code, undefined, { workSessionId })
  return new Refusal('set_aside', refusal.reason, { workSessionId, setAside: refusal.reason })
}
