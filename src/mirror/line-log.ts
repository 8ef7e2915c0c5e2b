/**
 * Mirrors a numbered append-only list as a file of JSON lines. The file is its own cursor: writing
 * continues after the number of its last whole line. When the store does not have that line, the
 * file is written anew.
 */
import { constants } from 'node:fs'
import { type FileHandle, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { identityFromKey, webKey } from '../domain/conversations/key.ts'
import type { StreamKind } from '../domain/stream-name.ts'
import { syncFolder } from '../platform/files/atomic-file.ts'
import { makeFolder } from '../platform/files/make-folder.ts'
import { openPlainFile } from '../platform/files/plain-file.ts'
import { fieldsOf, parsedJson } from '../platform/json.ts'
import {
  messagesAfter,
  selectLastMessage,
  selectMessageId,
} from '../store/conversations/messages.ts'
import type { Reader } from '../store/store.ts'
import type { MirroredStream, MirrorTarget } from './mirror.ts'

const blockBytes = 64 * 1024
const newline = 0x0a

/**
 * An append-only file of lines (CH7). An incomplete last line that a crash left is removed before
 * anything is added.
 */
export interface LastLine {
  /** Where the next line begins. */
  readonly end: number
  /** The last whole line; undefined when there is none. */
  readonly text: string | undefined
  /** Whether nothing follows the last whole line. */
  readonly clean: boolean
}

/** Reads the last whole line; undefined when there is no such file. */
async function readLastLine(path: string): Promise<LastLine | undefined> {
  await using file = await openPlainFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return file && (await lastLineOf(file))
}

/** Appends lines at `end`, the end of the last whole line, and resolves when they are durable. */
async function addLines(path: string, end: number, pages: AsyncIterable<string>): Promise<void> {
  await using file = await openPlainFile(path, constants.O_RDWR | constants.O_CREAT)
  await file.truncate(end)
  await writePages(file, end, pages)
  if (end === 0) await syncFolder(dirname(path))
}

async function replaceLines(path: string, pages: AsyncIterable<string>): Promise<void> {
  const fresh = freshOf(path)
  const file = await openPlainFile(
    fresh,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  )
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

async function removeLines(path: string): Promise<void> {
  await rm(path, { force: true })
  await rm(freshOf(path), { force: true })
}

/** The path of the new file; one that a crash left is overwritten. */
const freshOf = (path: string): string => `${path}.new`

async function writePages(
  file: FileHandle,
  from: number,
  pages: AsyncIterable<string>,
): Promise<void> {
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
      return {
        end: from + end + 1,
        text: tail.toString('utf8', begin + 1, end),
        clean: from + end + 1 === size,
      }
    }
  }
  return { end: 0, text: undefined, clean: size === 0 }
}

/** Lines read and written at a time. */
const linesAtOnce = 200

interface Numbered {
  readonly seq: number
  readonly id: string
}

interface LineLog {
  readonly kind: StreamKind
  /** The path below the data folder; undefined for what is not mirrored. */
  readonly file: (id: string) => string | undefined
  /** The newest entry; undefined when there is none, and then there is no file. */
  readonly last: (reader: Reader, id: string) => Promise<Numbered | undefined>
  readonly idAt: (reader: Reader, id: string, seq: number) => Promise<string | undefined>
  readonly after: (
    reader: Reader,
    id: string,
    seq: number,
    limit: number,
  ) => Promise<readonly Numbered[]>
}

function lineLog(log: LineLog): MirrorTarget {
  const pathOf = ({ data, id }: MirroredStream): string => join(data, log.file(id) ?? '')

  async function* linesAfter({ store, id }: MirroredStream, after: number): AsyncGenerator<string> {
    for (let seq = after; ; ) {
      const from = seq
      const found = await store.read((reader) => log.after(reader, id, from, linesAtOnce))
      if (found.length > 0) yield found.map((each) => `${JSON.stringify(each)}\n`).join('')
      seq = found.at(-1)?.seq ?? seq
      if (found.length < linesAtOnce) return
    }
  }

  async function writeLines(mirrored: MirroredStream): Promise<void> {
    const path = pathOf(mirrored)
    const { store, id } = mirrored
    if (!(await store.read((reader) => log.last(reader, id)))) return removeLines(path)
    await makeFolder(dirname(path))
    const written = await readLastLine(path)
    if (written?.text === undefined) return addLines(path, 0, linesAfter(mirrored, 0))
    const line = numbered(written.text)
    const isOurs =
      line && (await store.read((reader) => log.idAt(reader, id, line.seq))) === line.id
    if (isOurs) await addLines(path, written.end, linesAfter(mirrored, line.seq))
    else await replaceLines(path, linesAfter(mirrored, 0))
  }

  return {
    kind: log.kind,
    covers: (id) => log.file(id) !== undefined,
    write: async (mirrored) => {
      await writeLines(mirrored)
      return 0
    },
    isCurrent: async (mirrored) => {
      const [written, last] = await Promise.all([
        readLastLine(pathOf(mirrored)),
        mirrored.store.read((reader) => log.last(reader, mirrored.id)),
      ])
      if (!last || !written) return !last && !written
      const line = written.clean && written.text !== undefined ? numbered(written.text) : undefined
      return line?.seq === last.seq && line.id === last.id
    },
  }
}

function numbered(line: string): Numbered | undefined {
  const { seq, id } = fieldsOf(parsedJson(line))
  return Number.isSafeInteger(seq) && typeof id === 'string' ? { seq: Number(seq), id } : undefined
}

// `<data>/projects/{project_id}/agents/{agent_id}/chat.jsonl` (CH7): every message of a chat,
// hidden and archived ones too.

/** The form of valid ids; other keys have no folder. */
const folderName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Below the data folder; undefined for what is no chat with an agent. */
export function chatLogFile(key: string): string | undefined {
  const { kind, projectId, agentId } = identityFromKey(key)
  if (kind !== 'web' || projectId === null || agentId === null) return undefined
  // Another chat with the same agent has its JSON file and no log.
  const isFirst = key === webKey(projectId, agentId)
  const named = folderName.test(projectId) && folderName.test(agentId)
  return isFirst && named ? join('projects', projectId, 'agents', agentId, 'chat.jsonl') : undefined
}

export const chatLog = lineLog({
  kind: 'conversation',
  file: chatLogFile,
  last: (reader, key) => reader.first(selectLastMessage, { key }),
  idAt: async (reader, key, seq) => (await reader.first(selectMessageId, { key, seq }))?.id,
  after: async (reader, key, seq, limit) =>
    (await messagesAfter(reader, { key, seq, hidden: true, limit })).map(
      ({ begunAt: _, ...message }) => message,
    ),
})
