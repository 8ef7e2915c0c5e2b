/** Finds an artifact (CK5), and where its bytes are. */
import type { Artifact } from '../protocol/artifact.ts'
import { artifactOf, selectArtifact } from '../store/queries/artifacts.ts'
import { defineQuery } from '../store/store.ts'
import type { NamedArtifact } from './artifact-place.ts'
import { existingWorkSession } from './existing-work-session.ts'
import { noSuchArtifact } from './refusals.ts'

export const getArtifact = defineQuery({
  name: 'get-artifact',
  run: async (reader, { name, ...place }: NamedArtifact): Promise<{ artifact: Artifact; uploadId: string }> => {
    const { id: workSessionId } = await existingWorkSession(reader, place)
    const row = await reader.first(selectArtifact, { workSessionId, name })
    if (!row) throw noSuchArtifact(name)
    return { artifact: artifactOf(row), uploadId: row.upload_id }
  },
})
