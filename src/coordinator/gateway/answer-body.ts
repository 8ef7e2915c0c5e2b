/**
 * What is done to an answer on its way to the agent: it is unpacked, the key is masked (GW2), and
 * numbers nobody asked for are left out.
 */
import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { KnownSecrets } from '../../platform/log/known-secrets.ts'

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** The bytes of an answer; undefined where they are packed in a way that cannot be read. */
export function unpacked(came: IncomingMessage): Readable | undefined {
  const encoding = came.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return came
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding]?.() : undefined
  if (!unpacker) return undefined
  came.once('error', (error) => unpacker.destroy(error))
  return came.pipe(unpacker)
}

/** Each byte of a text as one character, so that what is no text stays as it is. */
export const bytesOf = (secret: string): KnownSecrets =>
  new KnownSecrets([secret, Buffer.from(secret).toString('latin1')])

/**
 * Masks a key in whatever pieces it comes. Only what may be its beginning waits for the next piece.
 */
export function masking(secrets: KnownSecrets): Transform {
  let waiting = ''
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const text = waiting + chunk.toString('latin1')
      const keep = secrets.tailLength(text)
      if (keep === 0 && waiting === '' && !secrets.has(text)) return done(null, chunk)
      waiting = text.slice(text.length - keep)
      done(null, Buffer.from(secrets.mask(text.slice(0, text.length - keep)), 'latin1'))
    },
    flush(done) {
      done(null, Buffer.from(secrets.mask(waiting), 'latin1'))
    },
  })
}

export function withoutUsageChunk(): Transform {
  let rest = Buffer.of()
  const isAdded = (line: Buffer): boolean =>
    line.includes('_tokens"') && /"choices":\s*\[\s*\]/.test(line.toString('latin1'))
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const all = Buffer.concat([rest, chunk])
      const end = all.lastIndexOf(10) + 1
      rest = all.subarray(end)
      for (let from = 0; from < end; ) {
        const next = all.indexOf(10, from) + 1
        const line = all.subarray(from, next)
        if (!isAdded(line)) this.push(line)
        from = next
      }
      done()
    },
    flush(done) {
      done(null, rest)
    },
  })
}
