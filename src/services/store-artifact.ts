/** Gives the bytes of a finished upload to an artifact (CK5), in one step: whoever reads it gets the old ones or the new ones whole. */
import { foldedName } from '../domain/artifact/name.ts'
import type { Instant } from '../domain/instant.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { Artifact } from '../protocol/artifact.ts'
import {
  type ArtifactRow,
  artifactOf,
  deleteParts,
  deleteUpload,
  insertArtifact,
  selectUpload,
  updateArtifact,
} from '../store/queries/artifacts.ts'
import { defineUseCase } from '../store/store.ts'
import { artifactPlace, type NamedArtifact } from './artifact-place.ts'
import { noSuchUpload } from './refusals.ts'

interface Input extends NamedArtifact {
  readonly uploadId: string
  readonly size: number
  readonly sha256: string
  readonly mediaType: string
  readonly by: string
  /** Of one that is brought back from its file (CK4): when it was made and changed. */
  readonly times?: { readonly createdAt: Instant; readonly updatedAt: Instant } | undefined
}

export const storeArtifact = defineUseCase({
  name: 'store-artifact',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, input: Input, { now }): Promise<{ artifact: Artifact; created: boolean }> => {
    const { projectId, workSessionId, name, uploadId, size, sha256, mediaType, by, times } = input
    const replaced = await artifactPlace(tx, { projectId, workSessionId, name })
    if (!(await tx.first(selectUpload, { id: uploadId }))) throw noSuchUpload()
    await tx.write(deleteUpload, { id: uploadId })
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
    if (replaced) await tx.write(deleteParts, { uploadId: replaced.upload_id })
    await tx.write(replaced ? updateArtifact : insertArtifact, row)
    const artifact = artifactOf(row)
    tx.append(projectStream(projectId), { type: 'artifact-stored', data: { artifact, by } })
    return { artifact, created: replaced === undefined }
  },
})
