/** The bytes of an artifact, one part after the other. */
import { selectPart } from '../store/queries/artifacts.ts'
import { defineQuery } from '../store/store.ts'

export const readUploadPart = defineQuery({
  name: 'read-upload-part',
  /** In base64; null behind the last. */
  run: async (reader, part: { uploadId: string; number: number }): Promise<string | null> =>
    (await reader.first(selectPart, part))?.bytes ?? null,
})
