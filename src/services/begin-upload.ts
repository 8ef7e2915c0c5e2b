/** Opens the place that an artifact's bytes go to (CK5), once it is known that it may be stored under its name. */
import { projectStream } from '../domain/stream/name.ts'
import { insertUpload } from '../store/queries/artifacts.ts'
import { defineUseCase } from '../store/store.ts'
import { artifactPlace, type NamedArtifact } from './artifact-place.ts'

export const beginUpload = defineUseCase({
  name: 'begin-upload',
  streams: ({ projectId }: NamedArtifact) => [projectStream(projectId)],
  run: async (tx, place, { now, random }): Promise<{ uploadId: string }> => {
    await artifactPlace(tx, place)
    const id = random.uuid()
    await tx.write(insertUpload, { id, created_at: now })
    return { uploadId: id }
  },
})
