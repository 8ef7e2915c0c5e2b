/** Deletes an artifact and its mirrored file (CK5). */
import { projectStream } from '../../domain/stream-name.ts'
import { defineUseCase } from '../../store/store.ts'
import { deleteArtifactRow, deleteParts, selectArtifact } from '../../store/work/artifacts.ts'
import { noSuchArtifact } from '../refusals.ts'
import type { NamedArtifact } from './upload-artifact.ts'
import { existingWorkSession } from './work-session-record.ts'

type Input = NamedArtifact & { by: string }

export const deleteArtifact = defineUseCase({
  name: 'delete-artifact',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { name, by, ...place }: Input): Promise<void> => {
    const { projectId, workSessionId } = place
    await existingWorkSession(tx, place)
    const row = await tx.first(selectArtifact, { workSessionId, name })
    if (!row) throw noSuchArtifact(name)
    await tx.write(deleteArtifactRow, { workSessionId, name })
    await tx.write(deleteParts, { uploadId: row.upload_id })
    tx.append(projectStream(projectId), { type: 'artifact-deleted', data: { workSessionId, name, by } })
  },
})
