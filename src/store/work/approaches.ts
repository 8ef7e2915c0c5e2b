/** Queries about approaches, and their forms for decisions and readers. Written under the lock of their project's stream. */
import { sql } from 'kysely'
import type { ApproachKind, Approach as Decided } from '../../domain/work/approach-lifecycle.ts'
import { type Approach, approachOnWire } from '../../protocol/work/approach.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ApproachRow = Tables['approaches']

/** The columns that an update changes. */
const changing = (p: Omit<ApproachRow, 'session_id' | 'first_kind' | 'number' | 'recorded_at'>) => ({
  kind: p.kind,
  date: p.date,
  category: p.category,
  description: p.description,
  details: p.details,
  evidence: p.evidence,
  learnings: p.learnings,
  reusable: p.reusable,
  failure_reason: p.failure_reason,
  error: p.error,
  avoid: p.avoid,
  priority: p.priority,
  next_to_try: p.next_to_try,
  note: p.note,
  history: p.history,
  updated_at: p.updated_at,
})

export const insertApproach = statement<ApproachRow>()((db, p) =>
  db.insertInto('approaches').values({
    project_id: p.project_id,
    id: p.id,
    session_id: p.session_id,
    first_kind: p.first_kind,
    number: p.number,
    recorded_at: p.recorded_at,
    ...changing(p),
  }),
)

export const updateApproach = statement<Omit<ApproachRow, 'session_id' | 'first_kind' | 'number' | 'recorded_at'>>()((db, p) =>
  db.updateTable('approaches').set(changing(p)).where('project_id', '=', p.project_id).where('id', '=', p.id),
)

export const selectApproach = statement<{ projectId: string; id: string }>()((db, p) =>
  db.selectFrom('approaches').selectAll().where('project_id', '=', p.projectId).where('id', '=', p.id),
)

const selectHighestNumber = statement<{ projectId: string; kind: ApproachKind }>()((db, p) =>
  db
    .selectFrom('approaches')
    .select('number')
    .where('project_id', '=', p.projectId)
    .where('first_kind', '=', p.kind)
    .orderBy('number', 'desc')
    .limit(1),
)

/** The next number. The project's lock is held and rows are never deleted, so it is unique. */
export const nextApproachNumber = async (reader: Reader, projectId: string, kind: ApproachKind): Promise<number> =>
  ((await reader.first(selectHighestNumber, { projectId, kind }))?.number ?? 0) + 1

/** The lists of approaches given to an agent (RS1). Kinds are literals in the query, so that the index of each is used. */
export const approachLists = {
  verified: approachList('verified'),
  avoid: approachList('failed', 'avoid', 1),
  failed: approachList('failed', 'avoid', 0),
  next: approachList('untried', 'next_to_try', 1),
} as const

/** Approaches of one work session, most recently changed first. */
function approachList(kind: ApproachKind, column?: 'avoid' | 'next_to_try', value?: 0 | 1) {
  return statement<{ workSessionId: string; limit: number }>()((db, p) => {
    const ofKind = db
      .selectFrom('approaches')
      .selectAll()
      .where('session_id', '=', p.workSessionId)
      .where('kind', '=', sql.lit(kind))
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(p.limit)
    return column === undefined ? ofKind : ofKind.where(column, '=', sql.lit(value ?? 0))
  })
}

/** The ids of older warnings, from the index alone. */
export const selectOlderWarnings = statement<{ workSessionId: string; updatedAt: string; id: string; limit: number }>()((db, p) =>
  db
    .selectFrom('approaches')
    .select('id')
    .where('session_id', '=', p.workSessionId)
    .where('kind', '=', sql.lit<ApproachKind>('failed'))
    .where('avoid', '=', sql.lit(1))
    .where((eb) => eb(eb.refTuple('updated_at', 'id'), '<', eb.tuple(p.updatedAt, p.id)))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** Approaches of the work sessions of one lineage, newest first. */
export async function approachesPage(
  reader: Reader,
  lineage: readonly string[],
  { createdAt, id, limit }: PageParams,
  kind?: ApproachKind,
): Promise<ApproachRow[]> {
  return reader.query<ApproachRow>((db) => {
    const page = db
      .selectFrom('approaches')
      .selectAll()
      .where('session_id', 'in', lineage)
      .where((eb) => eb(eb.refTuple('recorded_at', 'id'), '<', eb.tuple(createdAt, id)))
      .orderBy('recorded_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    return kind === undefined ? page : page.where('kind', '=', kind)
  })
}

interface OfProject {
  readonly projectId: string
  readonly after: string
  readonly limit: number
  readonly kind: ApproachKind | undefined
}

/** In the order of their ids. */
export const approachesOfProject = (reader: Reader, { projectId, after, limit, kind }: OfProject): Promise<ApproachRow[]> =>
  reader.query<ApproachRow>((db) => {
    const page = db
      .selectFrom('approaches')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
    return kind === undefined ? page : page.where('kind', '=', kind)
  })

const json = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
const yesOrNo = (value: number): boolean => value === 1

export const approachFrom = (row: ApproachRow): Decided => ({
  id: row.id,
  kind: row.kind,
  date: row.date,
  category: row.category,
  description: row.description,
  details: json(row.details),
  evidence: json(row.evidence),
  learnings: JSON.parse(row.learnings),
  reusable: yesOrNo(row.reusable),
  failureReason: row.failure_reason,
  error: row.error,
  avoid: yesOrNo(row.avoid),
  priority: row.priority,
  nextToTry: yesOrNo(row.next_to_try),
  note: row.note,
  history: JSON.parse(row.history),
})

const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

/** The columns of a decision. */
export const approachColumns = (approach: Decided) => ({
  kind: approach.kind,
  date: approach.date,
  category: approach.category,
  description: approach.description,
  details: text(approach.details),
  evidence: text(approach.evidence),
  learnings: JSON.stringify(approach.learnings),
  reusable: Number(approach.reusable),
  failure_reason: approach.failureReason,
  error: approach.error,
  avoid: Number(approach.avoid),
  priority: approach.priority,
  next_to_try: Number(approach.nextToTry),
  note: approach.note,
  history: JSON.stringify(approach.history),
})

export const approachOf = (row: ApproachRow): Approach => {
  const { learnings, history, ...approach } = approachFrom(row)
  return approachOnWire({
    ...approach,
    projectId: row.project_id,
    workSessionId: row.session_id,
    learnings: [...learnings],
    history: history.map((each) => ({ ...each })),
    recordedAt: row.recorded_at,
    updatedAt: row.updated_at,
  })
}
