/**
 * Restores a work session from its files when the server does not know it (CK4): first the sessions resumed from it, as far as
 * they are beside it, then itself, then its parents, each with its artifacts.
 */
import { openAsBlob } from 'node:fs'
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { foldersOfLineage, readSavedWorkSession, type SavedWorkSession } from '../../platform/files/saved-work-session.ts'
import type { NotRestored } from '../../protocol/work/resume.ts'
import { failed } from '../failure.ts'
import { ifNotThere } from './find-work-session.ts'

export interface SavedLocation {
  readonly projectId: string
  readonly workSessionId: string
}

const path = '/api/projects/{projectId}/sessions/{workSessionId}'

/** Project and work session named in the files. */
export function placeIn({ files, folder }: SavedWorkSession): SavedLocation {
  const { project_id: projectId, session_id: workSessionId } = (files.checkpoint ?? {}) as Record<string, unknown>
  if (typeof projectId === 'string' && typeof workSessionId === 'string') return { projectId, workSessionId }
  throw failed(`The checkpoint in ${folder} does not say which work session it is of.`, 'Name another file.')
}

export const isKnown = async (client: Client, params: SavedLocation): Promise<boolean> =>
  (await client.get(path, { params }).catch(ifNotThere)) !== undefined

export async function bringBack(client: Client, saved: SavedWorkSession): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  for (const folder of await foldersOfLineage(saved)) {
    const each = folder === saved.folder ? saved : await readSavedWorkSession(folder)
    const params = placeIn(each)
    const restored = await client.post(`${path}/restore`, { params, body: each.files })
    // Only losses of the session itself are reported.
    if (each === saved) missing.push(...restored.notRestored)
    missing.push(...(await bringArtifacts(client, each, params)))
  }
  return missing
}

async function bringArtifacts(
  client: Client,
  { files, artifacts }: SavedWorkSession,
  params: SavedLocation,
): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  const facts = ((files.workSession ?? {}) as { artifacts?: { name?: string; media_type?: string }[] }).artifacts ?? []
  for (const { name, path: file } of artifacts) {
    const type = facts.find((each) => each.name === name)?.media_type
    try {
      await client.upload(`${path}/artifacts/{name}`, { params: { ...params, name }, body: await openAsBlob(file), type })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      missing.push({ what: 'artifact', detail: `${name}: ${error.message}` })
    }
  }
  for (const { name = '' } of facts)
    if (!artifacts.some((each) => each.name === name))
      missing.push({ what: 'artifact', detail: `${name}: its file is not there` })
  return missing
}
