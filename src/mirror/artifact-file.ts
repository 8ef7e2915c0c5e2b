/**
 * The file of an artifact (CK5), whole or not at all: written beside its place part by part,
 * fsynced, renamed (CK3).
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { nameProblem } from '../domain/work/artifact-name.ts'
import { replaceFile, syncFolder } from '../platform/files/atomic-file.ts'
import { type ArtifactRow, selectPart } from '../store/work/artifacts.ts'
import type { MirrorSource } from './mirror.ts'

export async function mirrorArtifact(
  store: MirrorSource,
  folder: string,
  workSessionId: string,
  name: string,
): Promise<void> {
  // SE5: a name written into the table by hand must not lead out of the folder.
  if (nameProblem(name)) return
  const path = join(folder, name)
  const row = await store.read((reader) =>
    reader.row('artifacts', { session_id: workSessionId, name }),
  )
  if (!row) {
    await rm(path, { force: true })
    return syncFolder(folder)
  }
  if (await isThere(path, row)) return
  await replaceFile(path, partsOf(store, row.upload_id))
}

/** After a lost cursor all are looked at; what is there need not be written again. */
async function isThere(path: string, { size, sha256 }: ArtifactRow): Promise<boolean> {
  const written = await stat(path).catch(() => undefined)
  if (!written?.isFile() || written.size !== size) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex') === sha256
}

async function* partsOf(store: MirrorSource, uploadId: string): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number++) {
    const at = number
    const part = await store.read((reader) => reader.first(selectPart, { uploadId, number: at }))
    if (!part) return
    yield Buffer.from(part.bytes, 'base64')
  }
}
