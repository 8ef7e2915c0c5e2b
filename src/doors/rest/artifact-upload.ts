/**
 * Receives the bytes of an artifact (CK5) and writes them to the store part by part, so memory
 * stays constant; stops at the size limit. Nothing is visible before the artifact is complete.
 */

import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { anyBytes, maxArtifactBytes } from '../../protocol/work/artifact.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { addUploadPart } from '../../services/work/upload-artifact.ts'

/** A multiple of three, so that base64 needs no padding. */
const partBytes = 192 * 1024
const partsAtOnce = 6

/**
 * Time to read and discard the rest of a refused upload: most clients report only a broken
 * connection otherwise.
 */
const discardWithinMs = 10_000

const mediaForm = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}(?:; ?charset=[\w-]{1,40})?$/

export function mediaTypeOf({ headers }: FastifyRequest): string {
  const given = headers['content-type'] ?? anyBytes
  return mediaForm.test(given) ? given : anyBytes
}

const tooLarge = (): Refusal =>
  new Refusal('too_large', refusalText('artifactTooLarge', { count: maxArtifactBytes }), {
    limit: maxArtifactBytes,
  })

/** Refuses an upload that announces a size over the limit. */
export async function refuseTooLarge(request: FastifyRequest, clock: Clock): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) <= maxArtifactBytes) return
  await throwAway(request, clock)
  throw tooLarge()
}

export interface TakenBytes {
  readonly size: number
  readonly sha256: string
}

export async function takeBytes(
  request: FastifyRequest,
  { app, clock, who }: Pick<ServerDependencies, 'app' | 'clock'> & { readonly who: Caller },
  uploadId: string,
): Promise<TakenBytes> {
  const hash = createHash('sha256')
  const writing = new PendingParts((part) => app.run(addUploadPart, part, who), uploadId)
  let size = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const write = (bytes: Buffer): Promise<void> => {
    hash.update(bytes)
    return writing.add(bytes)
  }
  try {
    for await (const chunk of chunksOf(request)) {
      size += chunk.length
      if (size > maxArtifactBytes) break
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes < partBytes) continue
      let whole = Buffer.concat(waiting)
      for (; whole.length >= partBytes; whole = whole.subarray(partBytes))
        await write(whole.subarray(0, partBytes))
      waiting = whole.length > 0 ? [whole] : []
      waitingBytes = whole.length
    }
    if (size > maxArtifactBytes) {
      await throwAway(request, clock)
      throw tooLarge()
    }
    if (waitingBytes > 0) await write(Buffer.concat(waiting))
  } finally {
    // No part is written after what follows.
    await writing.settled()
  }
  await writing.all()
  return { size, sha256: hash.digest('hex') }
}

interface UploadPart {
  readonly uploadId: string
  readonly number: number
  readonly bytes: string
}

/** Parts being written. Several share a commit; their number is bounded to limit memory. */
class PendingParts {
  readonly #write: (part: UploadPart) => Promise<void>
  readonly #uploadId: string
  readonly #written: Promise<void>[] = []
  #number = 0

  constructor(write: (part: UploadPart) => Promise<void>, uploadId: string) {
    this.#write = write
    this.#uploadId = uploadId
  }

  /** Resolves when another part can be added. */
  async add(bytes: Buffer): Promise<void> {
    const part = {
      uploadId: this.#uploadId,
      number: this.#number++,
      bytes: bytes.toString('base64'),
    }
    const written = this.#write(part)
    written.catch(() => undefined)
    this.#written.push(written)
    if (this.#written.length >= partsAtOnce) await this.#written.shift()
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#written)
  }

  /** Rejects when a part could not be written. */
  async all(): Promise<void> {
    await Promise.all(this.#written)
  }
}

const streamOf = ({ body }: FastifyRequest): Readable | undefined => body as Readable | undefined

async function* chunksOf(request: FastifyRequest): AsyncGenerator<Buffer> {
  const stream = streamOf(request)
  try {
    // Left open when reading stops early, because an answer is still to be sent on this connection.
    if (stream)
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch {
    throw new Refusal('invalid_request', refusalText('bodyCutNothingStored'))
  }
}

async function throwAway(request: FastifyRequest, clock: Clock): Promise<void> {
  const stream = streamOf(request)
  if (!stream || stream.readableEnded || stream.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopWaiting = clock.after(discardWithinMs, resolve)
  for (const over of ['end', 'close', 'error']) stream.once(over, () => resolve())
  stream.resume()
  await promise
  stopWaiting()
}
