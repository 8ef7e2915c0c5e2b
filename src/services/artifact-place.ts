/** Whether an artifact may be stored under a name in a work session (CK5), and which one it would replace. */

import { foldedName, nameProblem } from '../domain/artifact/name.ts'
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { hasUnseenCharacters } from '../domain/name-characters.ts'
import { maxArtifactsOfWorkSession } from '../protocol/artifact.ts'
import { type ArtifactRow, artifactsAfter, selectByFoldedName } from '../store/queries/artifacts.ts'
import type { Reader } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'

export interface NamedArtifact {
  readonly projectId: string
  readonly workSessionId: string
  readonly name: string
}

export async function artifactPlace(reader: Reader, { name, ...place }: NamedArtifact): Promise<ArtifactRow | undefined> {
  const { workSessionId } = place
  await existingWorkSession(reader, place)
  const problem = nameProblem(name)
  if (problem) throw new Refusal('invalid_name', problem, { name })
  const known = await reader.first(selectByFoldedName, { workSessionId, foldedName: foldedName(name) })
  if (known && known.name !== name) throw new Refusal('invalid_name', because('nameLikeAnother', { name: known.name }), { name })
  // One that an earlier build has let in can be written again.
  if (!known && hasUnseenCharacters(name)) throw new Refusal('invalid_name', because('nameUnseen'), { name })
  if (!known && (await countOf(reader, workSessionId)) >= maxArtifactsOfWorkSession)
    throw new Refusal('too_large', because('artifactsFull', { count: maxArtifactsOfWorkSession }), {
      limit: maxArtifactsOfWorkSession,
    })
  return known
}

const countOf = async (reader: Reader, workSessionId: string): Promise<number> =>
  (await artifactsAfter(reader, { workSessionId, name: '' }, maxArtifactsOfWorkSession)).length
