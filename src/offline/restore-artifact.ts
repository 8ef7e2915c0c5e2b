/** Puts the bytes of a saved artifact back into the store, unless it has one of that name already. */
import { createHash } from 'node:crypto'
import { Refusal } from '../domain/errors.ts'
import { anyBytes, maxArtifactBytes } from '../protocol/work/artifact.ts'
import type { WorkSessionFile } from '../protocol/work/work-session-file.ts'
import { getArtifact } from '../services/work/queries.ts'
import type { NamedArtifact } from '../services/work/upload-artifact.ts'
import { addUploadPart, beginUpload, dropUpload, storeArtifact } from '../services/work/upload-artifact.ts'
import type { Store } from '../store/store.ts'

type ArtifactFacts = WorkSessionFile['artifacts'][number]

/** Whether it was missing. */
export async function restoreArtifact(
  store: Store,
  place: NamedArtifact,
  facts: ArtifactFacts | undefined,
  bytes: AsyncIterable<Buffer>,
  by: string,
): Promise<boolean> {
  const known = await store.query(getArtifact, place).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  })
  if (known) return false
  const { uploadId } = await store.run(beginUpload, place)
  try {
    const hash = createHash('sha256')
    let size = 0
    let number = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > maxArtifactBytes) throw new Refusal('too_large', undefined, { limit: maxArtifactBytes })
      hash.update(chunk)
      await store.run(addUploadPart, { uploadId, number: number++, bytes: chunk.toString('base64') })
    }
    const times = facts && { createdAt: facts.created_at, updatedAt: facts.updated_at }
    const bytesOfIt = { uploadId, size, sha256: hash.digest('hex'), mediaType: facts?.media_type ?? anyBytes }
    await store.run(storeArtifact, { ...place, ...bytesOfIt, times, by })
    return true
  } finally {
    await store.run(dropUpload, { uploadId })
  }
}
