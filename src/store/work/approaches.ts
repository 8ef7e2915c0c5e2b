/**
 * Queries about approaches, and their forms for decisions and readers. Written under the lock of
 * their project's stream.
 */
import { sql } from 'kysely'
import type { ApproachKind, Approach as Decided } from '../../domain/work/approach-lifecycle.ts'
import type { Approach } from '../../protocol/work/approach.ts'
import { onWire } from '../../protocol/work/on-wire.ts'
import { columns, fields, jsonIn, jsonOf } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ApproachRow = Tables['approaches']

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
export const nextApproachNumber = async (
  reader: Reader,
  projectId: string,
  kind: ApproachKind,
): Promise<number> =>
  ((await reader.first(selectHighestNumber, { projectId, kind }))?.number ?? 0) + 1

/**
 * The lists of approaches given to an agent (RS1). Kinds are literals in the query, so that the
 * index of each is used.
 */
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
export const selectOlderWarnings = statement<{
  workSessionId: string
  updatedAt: string
  id: string
  limit: number
}>()((db, p) =>
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
export const approachesPage = (
  reader: Reader,
  lineage: readonly string[],
  page: PageParams,
  kind?: ApproachKind,
): Promise<ApproachRow[]> =>
  reader.query<ApproachRow>((db) => {
    let found = db.selectFrom('approaches').selectAll().where('session_id', 'in', lineage)
    if (kind !== undefined) found = found.where('kind', '=', kind)
    return pageOf(found, page, 'recorded_at', 'id')
  })

interface OfProject {
  readonly projectId: string
  readonly after: string
  readonly limit: number
  readonly kind: ApproachKind | undefined
}

/** In the order of their ids. */
export const approachesOfProject = (
  reader: Reader,
  { projectId, after, limit, kind }: OfProject,
): Promise<ApproachRow[]> =>
  reader.query<ApproachRow>((db) => {
    let found = db
      .selectFrom('approaches')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '>', after)
    if (kind !== undefined) found = found.where('kind', '=', kind)
    return found.orderBy('id').limit(limit)
  })

export const approachFrom = (row: ApproachRow): Decided => ({
  ...fields(
    row,
    'id',
    'kind',
    'date',
    'category',
    'description',
    'failure_reason',
    'error',
    'priority',
    'note',
  ),
  details: jsonIn(row.details),
  evidence: jsonIn(row.evidence),
  learnings: JSON.parse(row.learnings),
  reusable: row.reusable === 1,
  avoid: row.avoid === 1,
  nextToTry: row.next_to_try === 1,
  history: JSON.parse(row.history),
})

export const approachColumns = (approach: Decided) => ({
  ...columns(
    approach,
    'kind',
    'date',
    'category',
    'description',
    'failure_reason',
    'error',
    'priority',
    'note',
  ),
  details: jsonOf(approach.details),
  evidence: jsonOf(approach.evidence),
  learnings: JSON.stringify(approach.learnings),
  reusable: Number(approach.reusable),
  avoid: Number(approach.avoid),
  next_to_try: Number(approach.nextToTry),
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
