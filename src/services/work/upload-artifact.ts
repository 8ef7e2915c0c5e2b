/**
 * Uploads an artifact in parts (CK5): an upload is begun, filled, and stored as the artifact or
 * dropped.
 */

import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { foldedName, nameProblem } from '../../domain/work/artifact-name.ts'
import { hasUnseenCharacters } from '../../protocol/unseen-characters.ts'
import { type Artifact, maxArtifactsOfWorkSession } from '../../protocol/work/artifact.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { type ArtifactRow, artifactOf, artifactsAfter } from '../../store/work/artifacts.ts'
import { noSuchArtifact, noSuchUpload } from '../refusals.ts'
import { existingWorkSession } from './end-work-session.ts'

export interface NamedArtifact {
  readonly projectId: string
  readonly workSessionId: string
  readonly name: string
}

/**
 * Checks whether an artifact may be stored under a name (CK5), and returns the one it would
 * replace.
 */
async function artifactPlace(
  reader: Reader,
  { name, ...place }: NamedArtifact,
): Promise<ArtifactRow | undefined> {
  const { workSessionId } = place
  await existingWorkSession(reader, place)
  const problem = nameProblem(name)
  if (problem) throw new Refusal('invalid_name', problem, { name })
  const earlier = await reader.row('artifacts', {
    session_id: workSessionId,
    folded_name: foldedName(name),
  })
  if (earlier && earlier.name !== name)
    throw new Refusal('invalid_name', refusalText('nameLikeAnother', { name: earlier.name }), {
      name,
    })
  // A name accepted by an earlier build may be overwritten.
  if (!earlier && hasUnseenCharacters(name))
    throw new Refusal('invalid_name', refusalText('nameUnseen'), { name })
  if (!earlier && (await countOf(reader, workSessionId)) >= maxArtifactsOfWorkSession)
    throw new Refusal(
      'too_large',
      refusalText('artifactsFull', { count: maxArtifactsOfWorkSession }),
      {
        limit: maxArtifactsOfWorkSession,
      },
    )
  return earlier
}

const countOf = async (reader: Reader, workSessionId: string): Promise<number> =>
  (await artifactsAfter(reader, { workSessionId, name: '' }, maxArtifactsOfWorkSession)).length

/** Begins an upload after checking the artifact's name (CK5). */
export const beginUpload = defineUseCase('begin-upload', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: NamedArtifact) => [projectStream(projectId)],
  run: async (tx, place, { now, random }): Promise<{ uploadId: string }> => {
    await artifactPlace(tx, place)
    const id = random.uuid()
    await tx.insert('uploads', { id, created_at: now })
    return { uploadId: id }
  },
})

interface PartInput {
  readonly uploadId: string
  /** From 0, consecutive. */
  readonly number: number
  /** In base64. */
  readonly bytes: string
}

/** Adds a part to an upload. It is not visible before the artifact is stored. */
export const addUploadPart = defineUseCase('add-upload-part', {
  scope: 'write',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { uploadId, number, bytes }: PartInput): Promise<void> => {
    if (!(await tx.row('uploads', { id: uploadId }))) throw noSuchUpload()
    await tx.insert('upload_parts', { upload_id: uploadId, number, bytes })
  },
})

interface UploadInput extends NamedArtifact {
  readonly uploadId: string
  readonly size: number
  readonly sha256: string
  readonly mediaType: string
  readonly by: string
  /** The times of an artifact restored from its file (CK4). */
  readonly times?: { readonly createdAt: Instant; readonly updatedAt: Instant } | undefined
}

/**
 * Stores a finished upload as an artifact in one step (CK5): a reader gets the old bytes or the new
 * ones, whole.
 */
export const storeArtifact = defineUseCase('store-artifact', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: UploadInput) => [projectStream(projectId)],
  run: async (
    tx,
    input: UploadInput,
    { now },
  ): Promise<{ artifact: Artifact; created: boolean }> => {
    const { projectId, workSessionId, name, uploadId, size, sha256, mediaType, by, times } = input
    const replaced = await artifactPlace(tx, { projectId, workSessionId, name })
    if (!(await tx.row('uploads', { id: uploadId }))) throw noSuchUpload()
    await tx.delete('uploads', { id: uploadId })
    const row: ArtifactRow = {
      session_id: workSessionId,
      name,
      folded_name: foldedName(name),
      upload_id: uploadId,
      size,
      media_type: mediaType,
      sha256,
      created_at: replaced?.created_at ?? times?.createdAt ?? now,
      updated_at: times?.updatedAt ?? now,
    }
    if (replaced) await tx.delete('upload_parts', { upload_id: replaced.upload_id })
    if (replaced) await tx.update('artifacts', row)
    else await tx.insert('artifacts', row)
    const artifact = artifactOf(row)
    tx.append(projectStream(projectId), { type: 'artifact-stored', data: { artifact, by } })
    return { artifact, created: replaced === undefined }
  },
})

/** Deletes an upload that no artifact uses. A stored one stays. */
export const dropUpload = defineUseCase('drop-upload', {
  scope: 'write',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { uploadId }: { uploadId: string }): Promise<void> => {
    if (!(await tx.row('uploads', { id: uploadId }))) return
    await tx.delete('upload_parts', { upload_id: uploadId })
    await tx.delete('uploads', { id: uploadId })
  },
})

type DeleteInput = NamedArtifact & { by: string }

/** Deletes an artifact and its mirrored file (CK5). */
export const deleteArtifact = defineUseCase('delete-artifact', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: DeleteInput) => [projectStream(projectId)],
  run: async (tx, { name, by, ...place }: DeleteInput): Promise<void> => {
    const { projectId, workSessionId } = place
    await existingWorkSession(tx, place)
    const row = await tx.row('artifacts', { session_id: workSessionId, name })
    if (!row) throw noSuchArtifact(name)
    await tx.delete('artifacts', { session_id: workSessionId, name })
    await tx.delete('upload_parts', { upload_id: row.upload_id })
    tx.append(projectStream(projectId), {
      type: 'artifact-deleted',
      data: { workSessionId, name, by },
    })
  },
})
