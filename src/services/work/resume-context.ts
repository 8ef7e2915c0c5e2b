/**
 * What is remembered about a work session for whoever takes it up (RS1, RS4): read newest first and no further than fits the
 * budget, so that it costs the same after a year (RS5).
 */
import type { Approach } from '../../domain/work/approach-lifecycle.ts'
import {
  mostWarningsTold,
  type RememberedTask,
  type Remembering,
  type ResumeContext,
  resumeContext,
  wantsMore,
} from '../../domain/work/resume-context.ts'
import type { Statement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { type ApproachRow, approachFrom, selectOlderWarnings, told } from '../../store/work/approaches.ts'
import { selectTask, selectUnfinished, type TaskRow } from '../../store/work/tasks.ts'
import { lineageOf, type WorkSessionRow } from '../../store/work/work-sessions.ts'
import { decisionsAbout, type TasksAsked } from '../approvals/decisions-for-agents.ts'
import { settingsOf } from '../projects/project-record.ts'

/** Of each list at first; where more would fit, twice as many. Most budgets are spent before. */
const readAtFirst = 32
/** RS4: warnings are never left out, so all of their ids are read, up to more than anybody records. */
const mostWarnings = 100_000

type Carried = (limit: number) => Promise<readonly TaskRow[]>

/** As it stands: an unfinished work session, or one that was begun to go on with another. */
export const contextOf = (reader: Reader, row: WorkSessionRow, agentId?: string): Promise<ResumeContext> =>
  context(reader, row, (limit) => reader.all(selectUnfinished, { workSessionId: row.id, limit }), {
    about: { workSessionId: row.id },
    agentId,
  })

/** With the tasks that are carried over, newest first, and what all that were resumed from it learned. */
export const contextWith = (reader: Reader, row: WorkSessionRow, tasks: readonly TaskRow[]): Promise<ResumeContext> =>
  context(reader, row, async (limit) => tasks.slice(0, limit), { about: { tasks }, agentId: undefined, descendants: true })

/** `agentId`: who is told; to one agent, what others asked for is not there (SE3). A person is told everything. */
interface Decisions {
  readonly about: TasksAsked
  readonly agentId: string | undefined
  /** What its own descendants learned is told as well: somebody goes on from here (RS3). */
  readonly descendants?: boolean
}

async function context(reader: Reader, row: WorkSessionRow, carried: Carried, asked: Decisions): Promise<ResumeContext> {
  const budget = Number((await settingsOf(reader, row.project_id))['resume.budget_tokens'])
  const lineage = await lineageOf(reader, row, { descendants: asked.descendants ?? false })
  const warnings = await readWarnings(reader, lineage, mostWarningsTold(budget))
  const currentTask = (await taskAt(reader, row, carried)) ?? null
  const decisions = (await decisionsAbout(reader, lineage, asked.about))
    .filter(({ leader_id }) => asked.agentId === undefined || leader_id === asked.agentId)
    .map(({ decision }) => decision)
  for (let limit = readAtFirst; ; limit *= 2) {
    const all = {
      previousState: row.context_summary,
      currentPhase: row.current_phase,
      currentTask,
      ...warnings,
      decisions,
      failed: await readAlong(reader, lineage, told.failed, limit),
      verified: await readAlong(reader, lineage, told.verified, limit),
      next: await readAlong(reader, lineage, told.next, limit),
      remaining: await remainingOf(carried, currentTask, limit),
    }
    const made = resumeContext(all, budget)
    if (!wantsMore(all, made)) return made
  }
}

/** The one it was at; when that is done or was never said, the newest that is being worked on. */
async function taskAt(
  reader: Reader,
  { project_id: projectId, current_task_id: id }: WorkSessionRow,
  carried: Carried,
): Promise<RememberedTask | undefined> {
  const named = id === null ? undefined : await reader.first(selectTask, { projectId, id })
  if (named && named.status !== 'completed' && named.status !== 'failed') return remembered(named)
  const [begun] = (await carried(readAtFirst))
    .filter(({ status }) => status === 'in_progress')
    .toSorted((a, b) => (b.started_at ?? '').localeCompare(a.started_at ?? ''))
  return begun && remembered(begun)
}

/** One more than asked for tells whether there is more; the one it is at stands elsewhere. */
async function remainingOf(
  carried: Carried,
  current: RememberedTask | null,
  limit: number,
): Promise<Remembering<RememberedTask>> {
  const rows = await carried(limit + 2)
  const others = rows.filter(({ id }) => id !== current?.taskId)
  return { items: others.slice(0, limit).map(remembered), more: others.length > limit }
}

type List = Statement<{ workSessionId: string; limit: number }, ApproachRow>

/** Generation by generation, the nearest first: what a child learned is newer than what its parent did. */
async function readAlong(reader: Reader, lineage: readonly string[], list: List, limit: number): Promise<Remembering<Approach>> {
  const rows = await rowsAlong(reader, lineage, list, limit + 1)
  return { items: rows.slice(0, limit).map(approachFrom), more: rows.length > limit }
}

async function rowsAlong(reader: Reader, lineage: readonly string[], list: List, limit: number): Promise<ApproachRow[]> {
  const rows: ApproachRow[] = []
  for (const workSessionId of lineage) {
    if (rows.length >= limit) break
    rows.push(...(await reader.all(list, { workSessionId, limit: limit - rows.length })))
  }
  return rows
}

/** The newest whole, of the rest the ids, which stand in the index. */
async function readWarnings(reader: Reader, lineage: readonly string[], whole: number) {
  const rows = await rowsAlong(reader, lineage, told.avoid, whole)
  const olderWarnings: string[] = []
  const last = rows.at(-1)
  if (last && rows.length === whole) {
    for (const workSessionId of lineage.slice(lineage.indexOf(last.session_id))) {
      const from = workSessionId === last.session_id ? last : { updated_at: '~', id: '' }
      const older = { workSessionId, updatedAt: from.updated_at, id: from.id, limit: mostWarnings - olderWarnings.length }
      olderWarnings.push(...(await reader.all(selectOlderWarnings, older)).map(({ id }) => id))
    }
  }
  return { warnings: rows.map(approachFrom), olderWarnings }
}

const remembered = (row: TaskRow): RememberedTask => ({
  taskId: row.id,
  name: row.title,
  status: row.status,
  phase: row.phase,
  progressPercent: row.progress_percent,
  blockedBy: row.blocked_by,
})
