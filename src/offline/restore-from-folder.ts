/** One work session out of its folder into the store, with what it made (CK4). What the store has stays as it is. */
import { open } from 'node:fs/promises'
import { ownerId } from '../domain/access/who.ts'
import { Refusal } from '../domain/errors.ts'
import type { SavedArtifact, SavedWorkSession } from '../platform/saved-work-session.ts'
import { readWorkSession } from '../protocol/work/read-work-session.ts'
import { restoreWorkSession } from '../services/work/restore-work-session.ts'
import type { Store } from '../store/store.ts'
import { restoreArtifact } from './restore-artifact.ts'

export async function restoreFromFolder(store: Store, { files, artifacts }: SavedWorkSession, by = ownerId) {
  const { project_id: projectId = '', session_id: workSessionId = '' } = files.checkpoint as Record<string, string>
  const place = { projectId, workSessionId }
  const { restored, notRestored: told } = await store.run(restoreWorkSession, { ...place, files, by })
  const facts = readWorkSession(files).rows?.artifacts ?? []
  let brought = 0
  for (const artifact of artifacts) {
    try {
      const its = facts.find(({ name }) => name === artifact.name)
      if (await restoreArtifact(store, { ...place, name: artifact.name }, its, bytesOf(artifact), by)) brought++
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      told.push({ what: 'artifact', detail: `${artifact.name}: ${error.message}` })
    }
  }
  return { restored, told, workSessionId, artifacts: brought }
}

async function* bytesOf({ path }: SavedArtifact): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) yield chunk as Buffer
  } finally {
    await file.close()
  }
}
