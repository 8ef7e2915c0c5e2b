/**
 * Builds the resume context of a work session (RS1, RS4). Reads newest first and only as much as
 * fits the budget, so that it costs the same after a year (RS5).
 */
import type { Approach } from '../../domain/work/approach-lifecycle.ts'
import {
  type CompletedTask,
  maxWarnings,
  type RememberedTask,
  type Remembering,
  type ResumeContext,
  resumeContext,
  wantsMore,
} from '../../domain/work/resume-context.ts'
import { jsonIn } from '../../store/fields.ts'
import type { Statement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import {
  type ApproachRow,
  approachFrom,
  approachLists,
  selectOlderWarnings,
} from '../../store/work/approaches.ts'
import { selectCompleted, selectUnfinished, type TaskRow } from '../../store/work/tasks.ts'
import { lineageOf, type WorkSessionRow } from '../../store/work/work-sessions.ts'
import { decisionsAbout, type TaskSelection } from '../approvals/decisions-for-agents.ts'
import { settingsOf } from '../projects/project-record.ts'

/** Items of each list read at first, doubled while more fit. */
const firstRead = 32
/** RS4: warnings are never left out, so all their ids are read, up to this many. */
const mostWarnings = 100_000

type CarriedTasks = (limit: number) => Promise<readonly TaskRow[]>

/** The context of an unfinished or resumed work session as it is now. */
export const resumeContextOf = (
  reader: Reader,
  row: WorkSessionRow,
  agentId?: string,
): Promise<ResumeContext> =>
  buildResumeContext(
    reader,
    row,
    (limit) => reader.all(selectUnfinished, { workSessionId: row.id, limit }),
    {
      about: { projectId: row.project_id, workSessionId: row.id },
      agentId,
    },
  )

/** The context with the tasks carried over, newest first, and what its descendants learned. */
export const resumeContextWith = (
  reader: Reader,
  row: WorkSessionRow,
  tasks: readonly TaskRow[],
): Promise<ResumeContext> =>
  buildResumeContext(reader, row, async (limit) => tasks.slice(0, limit), {
    about: { tasks },
    agentId: undefined,
    descendants: true,
  })

/**
 * `agentId`: the receiving agent, which sees its own requests only (SE3). Undefined for a person,
 * who sees all.
 */
interface Decisions {
  readonly about: TaskSelection
  readonly agentId: string | undefined
  /** Whether to include what its descendants learned (RS3). */
  readonly descendants?: boolean
}

async function buildResumeContext(
  reader: Reader,
  row: WorkSessionRow,
  carried: CarriedTasks,
  wanted: Decisions,
): Promise<ResumeContext> {
  const budget = Number((await settingsOf(reader, row.project_id))['resume.budget_tokens'])
  const lineage = await lineageOf(reader, row, { descendants: wanted.descendants ?? false })
  const warnings = await readWarnings(reader, lineage, maxWarnings(budget))
  const currentTask = (await taskAt(reader, row, carried)) ?? null
  const decisions = (await decisionsAbout(reader, lineage, wanted.about))
    .filter(({ leader_id }) => wanted.agentId === undefined || leader_id === wanted.agentId)
    .map(({ decision }) => decision)
  for (let limit = firstRead; ; limit *= 2) {
    const all = {
      previousState: row.context_summary,
      currentPhase: row.current_phase,
      currentTask,
      ...warnings,
      decisions,
      failed: await approachesAlong(reader, lineage, approachLists.failed, limit),
      verified: await approachesAlong(reader, lineage, approachLists.verified, limit),
      next: await approachesAlong(reader, lineage, approachLists.next, limit),
      remaining: await remainingOf(carried, currentTask, limit),
      completed: await completedAlong(reader, lineage, limit),
    }
    const made = resumeContext(all, budget)
    if (!wantsMore(all, made)) return made
  }
}

/** The current task, or else the newest in progress. */
async function taskAt(
  reader: Reader,
  { project_id: projectId, current_task_id: id }: WorkSessionRow,
  carried: CarriedTasks,
): Promise<RememberedTask | undefined> {
  const named = id === null ? undefined : await reader.row('tasks', { project_id: projectId, id })
  if (named && named.status !== 'completed' && named.status !== 'failed') return taskSummary(named)
  const [begun] = (await carried(firstRead))
    .filter(({ status }) => status === 'in_progress')
    .toSorted((a, b) => (b.started_at ?? '').localeCompare(a.started_at ?? ''))
  return begun && taskSummary(begun)
}

/**
 * Reads one more than asked for, to know whether there are more. The current task is listed apart.
 */
async function remainingOf(
  carried: CarriedTasks,
  current: RememberedTask | null,
  limit: number,
): Promise<Remembering<RememberedTask>> {
  const rows = await carried(limit + 2)
  const others = rows.filter(({ id }) => id !== current?.taskId)
  return { items: others.slice(0, limit).map(taskSummary), more: others.length > limit }
}

type List<Row> = Statement<{ workSessionId: string; limit: number }, Row>

/** Reads along the lineage, nearest first: a child's approaches are newer than its parent's. */
async function approachesAlong(
  reader: Reader,
  lineage: readonly string[],
  list: List<ApproachRow>,
  limit: number,
): Promise<Remembering<Approach>> {
  const rows = await rowsAlong(reader, lineage, list, limit + 1)
  return { items: rows.slice(0, limit).map(approachFrom), more: rows.length > limit }
}

async function completedAlong(
  reader: Reader,
  lineage: readonly string[],
  limit: number,
): Promise<Remembering<CompletedTask>> {
  const rows = await rowsAlong(reader, lineage, selectCompleted, limit + 1)
  return { items: rows.slice(0, limit).map(completedTask), more: rows.length > limit }
}

async function rowsAlong<Row>(
  reader: Reader,
  lineage: readonly string[],
  list: List<Row>,
  limit: number,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const workSessionId of lineage) {
    if (rows.length >= limit) break
    rows.push(...(await reader.all(list, { workSessionId, limit: limit - rows.length })))
  }
  return rows
}

/** The newest warnings in full, and the ids of older ones from the index. */
async function readWarnings(reader: Reader, lineage: readonly string[], whole: number) {
  const rows = await rowsAlong(reader, lineage, approachLists.avoid, whole)
  const olderWarnings: string[] = []
  const last = rows.at(-1)
  if (last && rows.length === whole) {
    for (const workSessionId of lineage.slice(lineage.indexOf(last.session_id))) {
      const from = workSessionId === last.session_id ? last : { updated_at: '~', id: '' }
      const older = {
        workSessionId,
        updatedAt: from.updated_at,
        id: from.id,
        limit: mostWarnings - olderWarnings.length,
      }
      olderWarnings.push(...(await reader.all(selectOlderWarnings, older)).map(({ id }) => id))
    }
  }
  return { warnings: rows.map(approachFrom), olderWarnings }
}

const taskSummary = (row: TaskRow): RememberedTask => ({
  taskId: row.id,
  name: row.title,
  status: row.status,
  phase: row.phase,
  progressPercent: row.progress_percent,
  blockedBy: row.blocked_by,
})

const completedTask = (row: TaskRow): CompletedTask => ({
  taskId: row.id,
  name: row.title,
  completedAt: row.completed_at,
  result: resultIn(row),
})

/** What is done cannot stop what is not: an unreadable result hides only itself (RE9). */
function resultIn({ result }: TaskRow): unknown {
  try {
    return jsonIn(result)
  } catch {
    return null
  }
}
