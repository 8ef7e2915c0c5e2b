/** Queries about artifacts and uploads, and their form for readers. */
import type { Instant } from '../../domain/instant.ts'
import type { Artifact } from '../../protocol/work/artifact.ts'
import { onWire } from '../../protocol/work/on-wire.ts'
import { fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ArtifactRow = Tables['artifacts']

interface Named {
  readonly workSessionId: string
  readonly name: string
}

const selectAfter = statement<Named & { limit: number }>()((db, p) =>
  db
    .selectFrom('artifacts')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('name', '>', p.name)
    .orderBy('name')
    .limit(p.limit),
)

export const selectPart = statement<{ uploadId: string; number: number }>()((db, p) =>
  db
    .selectFrom('upload_parts')
    .select('bytes')
    .where('upload_id', '=', p.uploadId)
    .where('number', '=', p.number),
)

export const selectUploadsBefore = statement<{ before: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('uploads')
    .select('id')
    .where('created_at', '<=', p.before)
    .orderBy('created_at')
    .limit(p.limit),
)

export const artifactOf = (row: ArtifactRow): Artifact =>
  onWire({
    ...fields(row, 'name', 'size', 'media_type', 'sha256', 'created_at', 'updated_at'),
    workSessionId: row.session_id,
  })

/** In the order of names, after a given one. */
export const artifactsAfter = async (
  reader: Reader,
  after: Named,
  limit: number,
): Promise<Artifact[]> => (await reader.all(selectAfter, { ...after, limit })).map(artifactOf)
