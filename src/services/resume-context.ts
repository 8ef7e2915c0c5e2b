/**
 * What is remembered about a work session for whoever takes it up (RS1, RS4): read newest first and no further than could ever fit
 * the budget, so that it costs the same after a year (RS5).
 */
import type { Approach } from '../domain/approach/lifecycle.ts'
import { type RememberedTask, type ResumeContext, resumeContext } from '../domain/work-session/resume-context.ts'
import { type ApproachRow, approachFrom, told } from '../store/queries/approaches.ts'
import { selectTask, type TaskRow } from '../store/queries/tasks.ts'
import { selectUnfinished } from '../store/queries/unfinished-tasks.ts'
import { lineageOf, type WorkSessionRow } from '../store/queries/work-sessions.ts'
import type { Statement } from '../store/statement.ts'
import type { Reader } from '../store/store.ts'
import { settingsOf } from './project-settings.ts'

/** The least an approach or a task costs in the context; what is beyond that many need not be read. */
const leastTokens = 15
/** RS4: these are never left out, so all of them are read, up to more than anybody records. */
const maxWarnings = 10_000

/** As it stands: an unfinished work session, or one that was begun to go on with another. */
export async function contextOf(reader: Reader, row: WorkSessionRow): Promise<ResumeContext> {
  const budget = await budgetOf(reader, row)
  return contextWith(reader, row, await reader.all(selectUnfinished, { workSessionId: row.id, limit: fitting(budget) }))
}

/** With the tasks that are carried over, newest first. */
export async function contextWith(reader: Reader, row: WorkSessionRow, unfinished: readonly TaskRow[]): Promise<ResumeContext> {
  const budget = await budgetOf(reader, row)
  const lineage = await lineageOf(reader, row)
  const limit = fitting(budget)
  const current = await currentTask(reader, row, unfinished)
  const warnings = await readAlong(reader, lineage, told.avoid, maxWarnings)
  const failed = await readAlong(reader, lineage, told.failed, limit)
  return resumeContext(
    {
      previousState: row.context_summary,
      currentPhase: row.current_phase,
      currentTask: current ?? null,
      failed: [...warnings, ...failed],
      verified: await readAlong(reader, lineage, told.verified, limit),
      next: await readAlong(reader, lineage, told.next, limit),
      remaining: unfinished
        .filter(({ id }) => id !== current?.taskId)
        .slice(0, limit)
        .map(remembered),
    },
    budget,
  )
}

const budgetOf = async (reader: Reader, { project_id: projectId }: WorkSessionRow): Promise<number> =>
  Number((await settingsOf(reader, projectId))['resume.budget_tokens'])

const fitting = (budgetTokens: number): number => Math.ceil(budgetTokens / leastTokens)

/** The one it was at; when that is done or was never said, the one that was begun last. */
async function currentTask(
  reader: Reader,
  { project_id: projectId, current_task_id: id }: WorkSessionRow,
  unfinished: readonly TaskRow[],
): Promise<RememberedTask | undefined> {
  const named = id === null ? undefined : await reader.first(selectTask, { projectId, id })
  if (named && named.status !== 'completed' && named.status !== 'failed') return remembered(named)
  const [begun] = unfinished
    .filter(({ status }) => status === 'in_progress')
    .sort((a, b) => (b.started_at ?? '').localeCompare(a.started_at ?? ''))
  return begun && remembered(begun)
}

/** Generation by generation, the nearest first: what a child learned is newer than what its parent did. */
async function readAlong(
  reader: Reader,
  lineage: readonly string[],
  list: Statement<{ workSessionId: string; limit: number }, ApproachRow>,
  limit: number,
): Promise<Approach[]> {
  const found: Approach[] = []
  for (const workSessionId of lineage) {
    if (found.length >= limit) break
    found.push(...(await reader.all(list, { workSessionId, limit: limit - found.length })).map(approachFrom))
  }
  return found
}

const remembered = (row: TaskRow): RememberedTask => ({
  taskId: row.id,
  name: row.title,
  status: row.status,
  phase: row.phase,
  progressPercent: row.progress_percent,
  blockedBy: row.blocked_by,
})
