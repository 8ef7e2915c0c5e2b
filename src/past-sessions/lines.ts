/**
 * Reads files of JSON lines that belong to somebody else: read only, up to the size they had when
 * they were opened, one line in memory at a time. A line that is too long or no JSON is counted.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { type Fields, isFields, parsedJson } from '../platform/json.ts'
import { chunkBytes, endBytes, maxHeadBytes, maxLineBytes } from './limits.ts'
import { leftOut, type PastRecord, type Skipped, skipped } from './port.ts'

export interface Line {
  /** Counted from 0, those that cannot be read too. */
  readonly number: number
  readonly bytes: Buffer
}

/** Counts what could not be read of one file. */
export class Unread {
  readonly #file: string
  damaged = 0
  long = 0

  constructor(file: string) {
    this.#file = file
  }

  *records(): Generator<PastRecord> {
    if (this.damaged > 0) yield leftOut(skipped(this.#file, 'damaged_lines', this.damaged))
    if (this.long > 0) yield leftOut(skipped(this.#file, 'long_lines', this.long))
  }
}

/** Opens a plain file without changing when it was last read, where that is allowed. */
async function openUnchanged(file: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const quiet = (constants as { readonly O_NOATIME?: number }).O_NOATIME ?? 0
  const handle = await open(file, flags | quiet).catch((error: NodeJS.ErrnoException) => {
    // Only a file's owner may ask for that.
    if (error.code === 'EPERM' && quiet !== 0) return open(file, flags)
    throw error
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error('it is no plain file')
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await handle.stat()
  for (let at = 0; at < size; ) {
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.allocUnsafe(Math.min(chunkBytes, size - at)),
      position: at,
    })
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const unpacked = (packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  Readable.from(packed).compose(createZstdDecompress()) as AsyncIterable<Buffer>

const newline = 0x0a

/** The lines of a file, the last one too where no newline follows it. */
export async function* linesOf(file: string, unread: Unread): AsyncGenerator<Line> {
  await using handle = await openUnchanged(file)
  const chunks = file.endsWith('.zst') ? unpacked(chunksOf(handle)) : chunksOf(handle)
  let number = 0
  let parts: Buffer[] = []
  let length = 0
  const take = (part: Buffer): void => {
    length += part.length
    if (length > maxLineBytes) parts = []
    else parts.push(part)
  }
  const finish = (): Line | undefined => {
    const line = { number: number++, bytes: Buffer.concat(parts) }
    const isLong = length > maxLineBytes
    parts = []
    length = 0
    if (!isLong) return line.bytes.length > 0 ? line : undefined
    unread.long++
    return undefined
  }
  try {
    for await (const chunk of chunks) {
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end))
        const line = finish()
        if (line) yield line
        start = end + 1
      }
      if (start < chunk.length) take(chunk.subarray(start))
    }
  } catch (error) {
    // A compressed file that is cut off: what came before it counts.
    if (!file.endsWith('.zst')) throw error
    unread.damaged++
    return
  }
  const last = finish()
  if (last) yield last
}

/** The record of a line; undefined for what is no object, which is counted. */
export function recordOf({ bytes }: Line, unread: Unread): Fields | undefined {
  const record = parsedJson(bytes.toString())
  if (isFields(record)) return record
  unread.damaged++
  return undefined
}

export interface Ends {
  /** Records of the file's beginning and end; the same ones where it is short. */
  readonly head: readonly Fields[]
  readonly tail: readonly Fields[]
  readonly bytes: number
  readonly changedAt: number
}

const recordsIn = (bytes: Buffer): Fields[] =>
  bytes.toString().split('\n').map(parsedJson).filter(isFields)

/** Reads a file's beginning, more of it until something `found` what it looks for, and its end. */
export async function endsOf(
  file: string,
  found: (head: readonly Fields[]) => boolean,
): Promise<Ends> {
  await using handle = await openUnchanged(file)
  const { size, mtimeMs } = await handle.stat()
  if (file.endsWith('.zst')) {
    const head = await firstRecords(file)
    return { head, tail: [], bytes: size, changedAt: mtimeMs }
  }
  const part = async (from: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(Math.min(length, size - from)),
      position: from,
    })
    return buffer.subarray(0, bytesRead)
  }
  let head = recordsIn(await part(0, endBytes))
  if (size > endBytes && !found(head)) head = recordsIn(await part(0, maxHeadBytes))
  const tail = size <= endBytes ? head : recordsIn(await part(size - endBytes, endBytes))
  return { head, tail, bytes: size, changedAt: mtimeMs }
}

async function firstRecords(file: string): Promise<Fields[]> {
  const unread = new Unread(file)
  const records: Fields[] = []
  let bytes = 0
  for await (const line of linesOf(file, unread)) {
    const record = recordOf(line, unread)
    if (record) records.push(record)
    bytes += line.bytes.length
    if (bytes > maxHeadBytes) break
  }
  return records
}

/** Why a file cannot be read, without its path. */
export function unreadable(file: string, error: unknown): Skipped {
  const { code, message } = error as NodeJS.ErrnoException
  return skipped(file, 'unreadable', code === 'ELOOP' ? 'it is a link' : (code ?? message))
}
