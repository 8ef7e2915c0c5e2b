/** Queries about approaches, and their forms for decisions and readers. Written under the lock of their project's stream. */
import { sql } from 'kysely'
import type { ApproachKind, Approach as Decided } from '../../domain/work/approach-lifecycle.ts'
import type { Approach } from '../../protocol/work/approach.ts'
import { onWire } from '../../protocol/work/on-wire.ts'
import type { PageParams } from '../page-cursor.ts'
import { from, insertRow, pageOf, rowsOf, selectBy, updateRow } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ApproachRow = Tables['approaches']

export const insertApproach = insertRow('approaches')

export const updateApproach = updateRow('approaches')

export const selectApproach = selectBy('approaches', { projectId: 'project_id', id: 'id' })

const selectHighestNumber = statement<{ projectId: string; kind: ApproachKind }>()((db, p) =>
  from(db, 'approaches', { project_id: p.projectId, first_kind: p.kind }).select('number').orderBy('number', 'desc').limit(1),
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
  from(db, 'approaches', { session_id: p.workSessionId, kind: sql.lit<ApproachKind>('failed'), avoid: sql.lit(1) })
    .select('id')
    .where((eb) => eb(eb.refTuple('updated_at', 'id'), '<', eb.tuple(p.updatedAt, p.id)))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** Approaches of the work sessions of one lineage, newest first. */
export const approachesPage = (
  reader: Reader,
  lineage: readonly string[],
  page: PageParams,
  kind?: ApproachKind,
): Promise<ApproachRow[]> =>
  reader.query<ApproachRow>((db) =>
    pageOf(rowsOf(db, 'approaches', { kind }).where('session_id', 'in', lineage), page, 'recorded_at', 'id'),
  )

interface OfProject {
  readonly projectId: string
  readonly after: string
  readonly limit: number
  readonly kind: ApproachKind | undefined
}

/** In the order of their ids. */
export const approachesOfProject = (reader: Reader, { projectId, after, limit, kind }: OfProject): Promise<ApproachRow[]> =>
  reader.query<ApproachRow>((db) =>
    rowsOf(db, 'approaches', { project_id: projectId, kind }).where('id', '>', after).orderBy('id').limit(limit),
  )

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
  return onWire({
    ...approach,
    projectId: row.project_id,
    workSessionId: row.session_id,
    learnings: [...learnings],
    history: history.map((each) => ({ ...each })),
    recordedAt: row.recorded_at,
    updatedAt: row.updated_at,
  })
}
