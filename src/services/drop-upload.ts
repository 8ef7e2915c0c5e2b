/** Clears away an upload that no artifact has: cut off, too large, or sent a second time. One that is stored is left alone. */
import { deleteParts, deleteUpload, selectUpload } from '../store/queries/artifacts.ts'
import { defineUseCase } from '../store/store.ts'

export const dropUpload = defineUseCase({
  name: 'drop-upload',
  streams: () => [],
  run: async (tx, { uploadId }: { uploadId: string }): Promise<void> => {
    if (!(await tx.first(selectUpload, { id: uploadId }))) return
    await tx.write(deleteParts, { uploadId })
    await tx.write(deleteUpload, { id: uploadId })
  },
})
