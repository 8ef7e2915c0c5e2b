/**
 * An append-only file of lines (CH7). An incomplete line that a crash left at the end is removed before anything is added, so only
 * the last line can ever be incomplete.
 */
import { constants } from 'node:fs'
import { type FileHandle, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../platform/atomic-file.ts'
import { openPlainFile } from '../platform/plain-file.ts'

const blockBytes = 64 * 1024
const newline = 0x0a

export interface LastLine {
  /** Where the next line begins. */
  readonly end: number
  /** The last whole line; undefined when there is none. */
  readonly text: string | undefined
  /** Whether nothing follows the last whole line. */
  readonly clean: boolean
}

/** Reads the last whole line; undefined when there is no such file. */
export async function readLastLine(path: string): Promise<LastLine | undefined> {
  const file = await openPlainFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    return file && (await lastLineOf(file))
  } finally {
    await file?.close()
  }
}

/** Appends lines at `end`, the end of the last whole line, and resolves when they are durable. */
export async function addLines(path: string, end: number, pages: AsyncIterable<string>): Promise<void> {
  const file = await openPlainFile(path, constants.O_RDWR | constants.O_CREAT)
  try {
    await file.truncate(end)
    await writePages(file, end, pages)
  } finally {
    await file.close()
  }
  if (end === 0) await syncFolder(dirname(path))
}

/** Replaces the file in one step. */
export async function replaceLines(path: string, pages: AsyncIterable<string>): Promise<void> {
  const fresh = freshOf(path)
  const file = await openPlainFile(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  try {
    await writePages(file, 0, pages)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(fresh, path)
  await syncFolder(dirname(path))
}

export async function removeLines(path: string): Promise<void> {
  await rm(path, { force: true })
  await rm(freshOf(path), { force: true })
}

/** The path of the new file; one that a crash left is overwritten. */
const freshOf = (path: string): string => `${path}.new`

async function writePages(file: FileHandle, from: number, pages: AsyncIterable<string>): Promise<void> {
  let at = from
  for await (const page of pages) {
    const bytes = Buffer.from(page)
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at)
      done += bytesWritten
      at += bytesWritten
    }
  }
  await file.datasync()
}

/** Reads backwards block by block to the last whole line. */
async function lastLineOf(file: FileHandle): Promise<LastLine> {
  const { size } = await file.stat()
  let tail = Buffer.alloc(0)
  for (let from = size; from > 0; ) {
    const length = Math.min(blockBytes, from)
    from -= length
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, from)
    tail = Buffer.concat([buffer, tail])
    const end = tail.lastIndexOf(newline)
    const begin = end > 0 ? tail.lastIndexOf(newline, end - 1) : -1
    if (end !== -1 && (begin !== -1 || from === 0)) {
      return { end: from + end + 1, text: tail.toString('utf8', begin + 1, end), clean: from + end + 1 === size }
    }
  }
  return { end: 0, text: undefined, clean: size === 0 }
}
