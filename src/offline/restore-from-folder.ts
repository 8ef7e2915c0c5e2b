/**
 * Restores one work session from its folder into the store, with its artifacts (CK4). Existing data
 * stays unchanged.
 */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { ownerId } from '../domain/access/caller.ts'
import { Refusal } from '../domain/errors.ts'
import type { SavedArtifact, SavedWorkSession } from '../platform/files/saved-work-session.ts'
import { anyBytes, maxArtifactBytes } from '../protocol/work/artifact.ts'
import { readWorkSession } from '../protocol/work/read-work-session.ts'
import type { WorkSessionFile } from '../protocol/work/work-session-file.ts'
import { getArtifact } from '../services/work/queries.ts'
import { restoreWorkSession } from '../services/work/restore-work-session.ts'
import {
  addUploadPart,
  beginUpload,
  dropUpload,
  type NamedArtifact,
  storeArtifact,
} from '../services/work/upload-artifact.ts'
import type { Store } from '../store/store.ts'

type ArtifactFacts = WorkSessionFile['artifacts'][number]

/**
 * Restores the bytes of a saved artifact unless one of that name exists. Returns whether it was
 * missing.
 */
export async function restoreArtifact(
  store: Store,
  place: NamedArtifact,
  facts: ArtifactFacts | undefined,
  bytes: AsyncIterable<Buffer>,
  by: string,
): Promise<boolean> {
  const stored = await store.query(getArtifact, place).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  })
  if (stored) return false
  const { uploadId } = await store.run(beginUpload, place)
  try {
    const hash = createHash('sha256')
    let size = 0
    let number = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > maxArtifactBytes)
        throw new Refusal('too_large', undefined, { limit: maxArtifactBytes })
      hash.update(chunk)
      await store.run(addUploadPart, {
        uploadId,
        number: number++,
        bytes: chunk.toString('base64'),
      })
    }
    const times = facts && { createdAt: facts.created_at, updatedAt: facts.updated_at }
    const bytesOfIt = {
      uploadId,
      size,
      sha256: hash.digest('hex'),
      mediaType: facts?.media_type ?? anyBytes,
    }
    await store.run(storeArtifact, { ...place, ...bytesOfIt, times, by })
    return true
  } finally {
    await store.run(dropUpload, { uploadId })
  }
}

export async function restoreFromFolder(
  store: Store,
  { files, artifacts }: SavedWorkSession,
  by = ownerId,
) {
  const { project_id: projectId = '', session_id: workSessionId = '' } = files.checkpoint as Record<
    string,
    string
  >
  const place = { projectId, workSessionId }
  const { restored, notRestored: missing } = await store.run(restoreWorkSession, {
    ...place,
    files,
    by,
  })
  const facts = readWorkSession(files).rows?.artifacts ?? []
  let brought = 0
  for (const artifact of artifacts) {
    try {
      const artifactFacts = facts.find(({ name }) => name === artifact.name)
      if (
        await restoreArtifact(
          store,
          { ...place, name: artifact.name },
          artifactFacts,
          bytesOf(artifact),
          by,
        )
      )
        brought++
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      missing.push({ what: 'artifact', detail: `${artifact.name}: ${error.message}` })
    }
  }
  return { restored, missing, workSessionId, artifacts: brought }
}

async function* bytesOf({ path }: SavedArtifact): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) yield chunk as Buffer
  } finally {
    await file.close()
  }
}
