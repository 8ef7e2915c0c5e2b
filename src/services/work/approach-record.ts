/** Stores a new approach. Repeating the same content in a work session returns the same approach. */
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import type { Instant } from '../../domain/instant.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { type ApproachKind, approachId, contentOf, dayOf, parseApproachId } from '../../domain/work/approach-lifecycle.ts'
import type { Approach, ApproachDraft } from '../../protocol/work/approach.ts'
import { newest } from '../../store/page-cursor.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  type ApproachRow,
  approachColumns,
  approachesPage,
  approachFrom,
  approachOf,
  nextApproachNumber,
} from '../../store/work/approaches.ts'
import type { WorkSessionRow } from '../../store/work/work-sessions.ts'
import { recordCheckpoint } from './end-work-session.ts'

type Draft = z.output<typeof ApproachDraft>

/** The newest approaches searched for a repeat, which comes soon after. */
const repeatWindow = 20

interface RecordOptions {
  readonly by: string
  readonly now: Instant
  /** The wanted id, used if it is free. */
  readonly id?: string
}

/** The calling use case locks the project's stream. */
export async function addApproach(
  tx: Tx,
  row: WorkSessionRow,
  draft: Draft,
  { by, now, id: wanted }: RecordOptions,
): Promise<Approach> {
  const known = await findRepeat(tx, row.id, draft)
  if (known) return approachOf(known)
  const { kind, ...words } = draft
  const { id, number } = (await freeId(tx, row.project_id, kind, wanted)) ?? (await nextId(tx, row.project_id, kind))
  const recorded: ApproachRow = {
    project_id: row.project_id,
    session_id: row.id,
    id,
    first_kind: kind,
    number,
    ...approachColumns({ id, kind, date: dayOf(now), ...contentOf(kind, words), history: [] }),
    recorded_at: now,
    updated_at: now,
  }
  await tx.insert('approaches', recorded)
  const approach = approachOf(recorded)
  tx.append(projectStream(row.project_id), { type: 'approach-recorded', data: { approach, by } })
  const place = { projectId: row.project_id, workSessionId: row.id }
  await recordCheckpoint(tx, { ...place, reason: 'approach_recorded', subject: id, now })
  return approach
}

async function nextId(tx: Tx, projectId: string, kind: ApproachKind): Promise<Numbered> {
  const number = await nextApproachNumber(tx, projectId, kind)
  return { id: approachId(kind, number), number }
}

/** Undefined if the id has another form or is taken. */
async function freeId(reader: Reader, projectId: string, kind: ApproachKind, id = ''): Promise<Numbered | undefined> {
  const parsed = parseApproachId(id)
  const isFree =
    parsed?.kind === kind && parsed.number <= maxNumber && !(await reader.row('approaches', { project_id: projectId, id }))
  return isFree ? { id, number: parsed.number } : undefined
}

interface Numbered {
  readonly id: string
  readonly number: number
}

/** The highest accepted number. The next id continues from it. */
const maxNumber = 1_000_000

async function findRepeat(reader: Reader, workSessionId: string, { kind, ...words }: Draft): Promise<ApproachRow | undefined> {
  const asked = contentOf(kind, words)
  const rows = await approachesPage(reader, [workSessionId], { ...newest, limit: repeatWindow }, kind)
  return rows.find((each) => {
    const { id: _, kind: __, date: ___, history, ...content } = approachFrom(each)
    return history.length === 0 && isDeepStrictEqual(content, asked)
  })
}
