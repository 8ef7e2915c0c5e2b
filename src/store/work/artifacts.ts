/** Queries about artifacts and uploads, and their form for readers. */
import type { Instant } from '../../domain/instant.ts'
import type { Artifact } from '../../protocol/work/artifact.ts'
import { onWire } from '../../protocol/work/on-wire.ts'
import { deleteBy, insertRow, rowsOf, selectBy, selectColumns, updateColumns } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ArtifactRow = Tables['artifacts']

interface Named {
  readonly workSessionId: string
  readonly name: string
}

export const insertArtifact = insertRow('artifacts')

export const updateArtifact = updateColumns('artifacts', 'upload_id', 'size', 'media_type', 'sha256', 'updated_at')

export const deleteArtifactRow = deleteBy('artifacts', { workSessionId: 'session_id', name: 'name' })

export const selectArtifact = selectBy('artifacts', { workSessionId: 'session_id', name: 'name' })

/** The artifact with this name, ignoring case as some disks do. */
export const selectByFoldedName = selectBy('artifacts', { workSessionId: 'session_id', foldedName: 'folded_name' })

const selectAfter = statement<Named & { limit: number }>()((db, p) =>
  rowsOf(db, 'artifacts', { session_id: p.workSessionId }).where('name', '>', p.name).orderBy('name').limit(p.limit),
)

export const insertUpload = insertRow('uploads')

export const selectUpload = selectBy('uploads', 'id')

export const deleteUpload = deleteBy('uploads', 'id')

export const insertPart = insertRow('upload_parts')

export const deleteParts = deleteBy('upload_parts', { uploadId: 'upload_id' })

export const selectPart = selectColumns('upload_parts', { uploadId: 'upload_id', number: 'number' }, 'bytes')

/** Unfinished uploads. */
export const selectUploadsBefore = statement<{ before: Instant; limit: number }>()((db, p) =>
  db.selectFrom('uploads').select('id').where('created_at', '<=', p.before).orderBy('created_at').limit(p.limit),
)

export const artifactOf = (row: ArtifactRow): Artifact =>
  onWire({
    name: row.name,
    workSessionId: row.session_id,
    size: row.size,
    mediaType: row.media_type,
    sha256: row.sha256,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  })

/** In the order of names, after a given one. */
export const artifactsAfter = async (reader: Reader, after: Named, limit: number): Promise<Artifact[]> =>
  (await reader.all(selectAfter, { ...after, limit })).map(artifactOf)
