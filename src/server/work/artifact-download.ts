/**
 * Sends the bytes of an artifact (CK5) part by part at the reader's pace. Browsers save it and never run it (SE6), because
 * agents made it.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Artifact } from '../../protocol/work/artifact.ts'
import { readUploadPart } from '../../services/work/queries.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { untilDrained } from '../live/backpressure.ts'

/** A client that reads nothing for this long is disconnected. */
const stuckAfterMs = 60_000

export interface FoundArtifact {
  readonly artifact: Artifact
  readonly uploadId: string
}

export async function sendArtifact(
  { artifact, uploadId }: FoundArtifact,
  { store, logger }: Pick<ServerDependencies, 'store' | 'logger'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const etag = `"${artifact.sha256}"`
  reply.hijack()
  const { raw } = reply
  const known = request.headers['if-none-match'] === etag
  raw.writeHead(known ? 304 : 200, {
    etag,
    'cache-control': 'private, no-cache',
    ...(known ? {} : { 'content-length': artifact.size, 'content-type': artifact.mediaType }),
    'content-disposition': `attachment; filename*=UTF-8''${encodeRFC5987(artifact.name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  if (known || request.method === 'HEAD') return void raw.end()
  raw.setTimeout(stuckAfterMs, () => raw.destroy())
  try {
    await sendParts(raw, artifact.size, (number) => store.query(readUploadPart, { uploadId, number }))
  } catch (error) {
    // The response must be ended here, or the client would wait for the rest.
    logger.error({ requestId: request.id, err: error }, 'A download was broken off')
    raw.destroy()
  }
}

async function sendParts(raw: ServerResponse, size: number, read: (number: number) => Promise<string | null>): Promise<void> {
  let left = size
  for (let number = 0; left > 0 && !raw.destroyed; number++) {
    const part = await read(number)
    if (part === null) break
    const bytes = Buffer.from(part, 'base64')
    left -= bytes.length
    raw.write(bytes)
    await untilDrained(raw)
  }
  // Replaced or deleted meanwhile: fewer bytes than announced, so the connection is cut and the client notices.
  if (left > 0) raw.destroy()
  else raw.end()
}

const encodeRFC5987 = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
