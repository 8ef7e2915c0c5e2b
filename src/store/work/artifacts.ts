/** Queries about artifacts and uploads, and their form for readers. */
import type { Instant } from '../../domain/instant.ts'
import { type Artifact, artifactOnWire } from '../../protocol/work/artifact.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ArtifactRow = Tables['artifacts']

interface Named {
  readonly workSessionId: string
  readonly name: string
}

export const insertArtifact = statement<ArtifactRow>()((db, p) =>
  db.insertInto('artifacts').values({
    session_id: p.session_id,
    name: p.name,
    folded_name: p.folded_name,
    upload_id: p.upload_id,
    size: p.size,
    media_type: p.media_type,
    sha256: p.sha256,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
)

export const updateArtifact = statement<Omit<ArtifactRow, 'folded_name' | 'created_at'>>()((db, p) =>
  db
    .updateTable('artifacts')
    .set({ upload_id: p.upload_id, size: p.size, media_type: p.media_type, sha256: p.sha256, updated_at: p.updated_at })
    .where('session_id', '=', p.session_id)
    .where('name', '=', p.name),
)

export const deleteArtifactRow = statement<Named>()((db, p) =>
  db.deleteFrom('artifacts').where('session_id', '=', p.workSessionId).where('name', '=', p.name),
)

export const selectArtifact = statement<Named>()((db, p) =>
  db.selectFrom('artifacts').selectAll().where('session_id', '=', p.workSessionId).where('name', '=', p.name),
)

/** The artifact with this name, ignoring case as some disks do. */
export const selectByFoldedName = statement<{ workSessionId: string; foldedName: string }>()((db, p) =>
  db.selectFrom('artifacts').selectAll().where('session_id', '=', p.workSessionId).where('folded_name', '=', p.foldedName),
)

const selectAfter = statement<Named & { limit: number }>()((db, p) =>
  db
    .selectFrom('artifacts')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('name', '>', p.name)
    .orderBy('name')
    .limit(p.limit),
)

export const insertUpload = statement<Tables['uploads']>()((db, p) =>
  db.insertInto('uploads').values({ id: p.id, created_at: p.created_at }),
)

export const selectUpload = statement<{ id: string }>()((db, p) => db.selectFrom('uploads').selectAll().where('id', '=', p.id))

export const deleteUpload = statement<{ id: string }>()((db, p) => db.deleteFrom('uploads').where('id', '=', p.id))

export const insertPart = statement<Tables['upload_parts']>()((db, p) =>
  db.insertInto('upload_parts').values({ upload_id: p.upload_id, number: p.number, bytes: p.bytes }),
)

export const deleteParts = statement<{ uploadId: string }>()((db, p) =>
  db.deleteFrom('upload_parts').where('upload_id', '=', p.uploadId),
)

export const selectPart = statement<{ uploadId: string; number: number }>()((db, p) =>
  db.selectFrom('upload_parts').select('bytes').where('upload_id', '=', p.uploadId).where('number', '=', p.number),
)

/** Unfinished uploads. */
export const selectUploadsBefore = statement<{ before: Instant; limit: number }>()((db, p) =>
  db.selectFrom('uploads').select('id').where('created_at', '<=', p.before).orderBy('created_at').limit(p.limit),
)

export const artifactOf = (row: ArtifactRow): Artifact =>
  artifactOnWire({
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
