/** Reads and writes plain files, and refuses pipes and devices, which could block for ever. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { parsedJson } from '../json.ts'

export class NotPlainFile extends Error {}

const notPlainText = (path: string): string => `${path} is in the way: it is not a plain file`

export async function openPlainFile(path: string, flags = constants.O_RDONLY): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NONBLOCK, 0o600).catch(
    (error: NodeJS.ErrnoException) => {
      // A pipe without a reader.
      if (error.code === 'ENXIO') throw new NotPlainFile(notPlainText(path))
      throw error
    },
  )
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new NotPlainFile(notPlainText(path))
}

/** Creates or overwrites the file. */
export async function writePlainFile(path: string, text: string): Promise<void> {
  await using file = await openPlainFile(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  )
  await file.writeFile(text)
}

export async function readPlainFile(path: string): Promise<string> {
  await using file = await openPlainFile(path)
  return await file.readFile('utf8')
}

/** Reads a file of our own; undefined when it is missing or no JSON. */
export const readJsonFile = (path: string): Promise<unknown> =>
  readPlainFile(path).then(parsedJson, () => undefined)

/**
 * The bytes of a regular file of at most so many; undefined for everything else. It never waits and
 * follows no link in the file's place, so anybody may have put there what they like. Synchronous: a
 * few small reads, each faster than a thread pool's round trip.
 */
export function bytesOf(file: string, maxBytes: number): Buffer | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = fstatSync(handle)
    if (!found.isFile() || found.size > maxBytes) return undefined
    // No more than it had: somebody may write all the time.
    const bytes = Buffer.alloc(found.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, length)
    return bytes.subarray(0, length)
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

export const textOf = (file: string, maxBytes: number): string | undefined =>
  bytesOf(file, maxBytes)?.toString()
