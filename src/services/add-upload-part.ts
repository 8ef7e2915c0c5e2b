/** Adds the next bytes to an upload. Nobody sees them until an artifact has them. */
import { insertPart, selectUpload } from '../store/queries/artifacts.ts'
import { defineUseCase } from '../store/store.ts'
import { noSuchUpload } from './refusals.ts'

interface Input {
  readonly uploadId: string
  /** From 0, one after the other. */
  readonly number: number
  /** In base64. */
  readonly bytes: string
}

export const addUploadPart = defineUseCase({
  name: 'add-upload-part',
  streams: () => [],
  run: async (tx, { uploadId, number, bytes }: Input): Promise<void> => {
    if (!(await tx.first(selectUpload, { id: uploadId }))) throw noSuchUpload()
    await tx.write(insertPart, { upload_id: uploadId, number, bytes })
  },
})
