/** The artifacts of a work session, as bytes in and out. */
import type { artifactRoutes } from '../../../protocol/routes/artifacts.ts'
import { beginUpload } from '../../../services/begin-upload.ts'
import { deleteArtifact } from '../../../services/delete-artifact.ts'
import { dropUpload } from '../../../services/drop-upload.ts'
import { getArtifact } from '../../../services/get-artifact.ts'
import { listArtifacts } from '../../../services/list-artifacts.ts'
import { storeArtifact } from '../../../services/store-artifact.ts'
import { sendArtifact } from '../artifact-download.ts'
import { mediaTypeOf, refuseTooLarge, takeBytes } from '../artifact-upload.ts'
import { type HandlersOf, query, run } from '../handler.ts'
import { receiptOf } from '../receipt.ts'

export const artifactHandlers: HandlersOf<typeof artifactRoutes> = {
  listArtifacts: query(listArtifacts, (call) => ({ ...call.query, ...call.params })),
  getArtifact: async ({ params, doors, request, reply }) => {
    const found = await doors.store.query(getArtifact, params)
    await sendArtifact(found, doors, request, reply)
    return undefined
  },
  putArtifact: async ({ params, doors, presented, who, request, reply }) => {
    const { store } = doors
    const mediaType = mediaTypeOf(request)
    await refuseTooLarge(request, doors.clock)
    const { uploadId } = await store.run(beginUpload, params)
    try {
      const { size, sha256 } = await takeBytes(request, doors, uploadId)
      const facts = { uploadId, size, sha256, mediaType, by: who.id }
      // HT4: the same bytes under the same key are stored once, and answered as before.
      const receipt = receiptOf(request, 'putArtifact', presented, `${mediaType}\n${sha256}`)
      const { artifact, created } = await store.run(storeArtifact, { ...params, ...facts }, receipt)
      reply.code(created ? 201 : 200)
      return artifact
    } finally {
      // What was stored is no upload any more, and stays.
      await store.run(dropUpload, { uploadId })
    }
  },
  deleteArtifact: run(deleteArtifact, ({ params, who }) => ({ ...params, by: who.id })),
}
