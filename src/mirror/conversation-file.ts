/**
 * `<data>/conversations/<name>.json` (CV6): the messages that agents get of a conversation, its
 * summary and flags, in picoclaw's format.
 *
 * The file is written as a whole, so a long one is written less often: after a write it rests for
 * as long as its bytes take at `bytesPerMs`. A conversation so costs at most 1 MB of writing a
 * second; `save`, a stop and an export do not wait.
 */
import { access, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { libraryId, ownerId } from '../domain/access/caller.ts'
import { type Day, notePathOf, parseDay } from '../domain/conversations/chapter.ts'
import { claimOf, isChat, refusalOfKey } from '../domain/conversations/key.ts'
import { looksLikeRole } from '../domain/conversations/senders.ts'
import { conversationStream } from '../domain/stream-name.ts'
import { replaceFile, syncFolder, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { makeFolder } from '../platform/files/make-folder.ts'
import { readJsonFile, readPlainFile, writePlainFile } from '../platform/files/plain-file.ts'
import { readSavedConversation } from '../platform/files/saved-conversations.ts'
import { Sequences, succeeds } from '../platform/for-each-settled.ts'
import {
  type FileThread,
  fileHeadOf,
  fileMessageOf,
} from '../protocol/conversations/conversation-file.ts'
import type { Message } from '../protocol/conversations/message.ts'
import {
  type ConversationRow,
  conversationOf,
  extraOf,
  selectNameOf,
} from '../store/conversations/conversations.ts'
import { messagesAfter } from '../store/conversations/messages.ts'
import { noteContents, noteText } from '../store/conversations/notes.ts'
import { selectPosition } from '../store/log/event-log.ts'
import type { Reader } from '../store/store.ts'
import { isFileOf, namesOf } from './conversation-name.ts'
import type { MirroredStream, MirrorSource, MirrorTarget } from './mirror.ts'

/** SN26: of what people have with agents. */
function threadOf(row: ConversationRow): FileThread | undefined {
  const { project_id, agent_id } = row
  if (!isChat(row.kind) || project_id === null || agent_id === null) return undefined
  const { agents, title, titled_by, workplace, workplace_folder } = row
  const { continued_as, continued_from, forked_from } = row
  const place = { workplace, workplace_folder }
  const others = { continued_as, continued_from, forked_from }
  return { project_id, agent_id, agents, title, titled_by, ...place, ...others }
}

/**
 * Produces the file of a conversation piece by piece, so that memory use does not depend on its
 * length. The pieces form one consistent state: messages never change, so those up to the last one
 * of the first read are the same in later reads.
 */
const messagesAtOnce = 500

/** The conversation was deleted while it was being written. */
class ConversationDeleted extends Error {}

/** `head`: the newest event of the stream when `row` was read. */
async function* conversationText(
  store: MirrorSource,
  row: ConversationRow,
  head: number,
): AsyncGenerator<Buffer> {
  const privateTo = row.kind === 'console' ? null : row.account_id
  const { key, ...after } = fileHeadOf(conversationOf(row), extraOf(row), privateTo, threadOf(row))
  yield Buffer.from(`{\n  "key": ${JSON.stringify(key)},\n  "messages": [`)
  let isFirst = true
  for await (const { messages, nameOf } of pagesOf(store, row, head)) {
    const written = messages.map((message) => fileMessageOf(message, nameOf(message)))
    yield Buffer.from(`${isFirst ? '' : ','}${indented(written).slice(1, -'\n  ]'.length)}`)
    isFirst = false
  }
  yield Buffer.from(
    `${isFirst ? '' : '\n  '}],\n${JSON.stringify(after, null, 2).slice('{\n'.length)}\n`,
  )
}

/** Indents JSON by one level. Line breaks in it are never part of a value. */
const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')

async function* pagesOf(
  store: MirrorSource,
  row: ConversationRow,
  head: number,
): AsyncGenerator<{ messages: Message[]; nameOf: NameOf }> {
  for (let seq = row.kept_after; ; ) {
    const after = seq
    const { found, nameOf, stillThere } = await store.read(async (reader) => {
      const found = await messagesAfter(reader, {
        key: row.key,
        seq: after,
        hidden: false,
        limit: messagesAtOnce,
      })
      const { created_at } = (await reader.row('conversations', { key: row.key })) ?? {}
      const nameOf = await namesOfWriters(reader, found)
      return { found, nameOf, stillThere: created_at === row.created_at }
    })
    if (!stillThere) throw new ConversationDeleted()
    const messages = found.filter((message) => message.seq <= head)
    if (messages.length > 0) yield { messages, nameOf }
    if (messages.length < messagesAtOnce) return
    seq = messages.at(-1)?.seq ?? seq
  }
}

type NameOf = (message: Message) => string | undefined

/**
 * Names those who wrote as users (CV14), people and agents by their own names. The owner and a
 * program with the library, whose words need none, and what somebody put in for another have no
 * name of ours.
 */
async function namesOfWriters(reader: Reader, messages: readonly Message[]): Promise<NameOf> {
  const own = new Map<string, string>()
  for (const id of new Set(messages.map(({ senderId }) => senderId))) {
    const { name } =
      (await reader.row('people', { id })) ?? (await reader.row('agents', { id })) ?? {}
    if (name !== undefined) own.set(id, name)
  }
  return ({ role, senderId, senderName }) => {
    if (role !== 'user' || senderId === ownerId || senderId === libraryId) return undefined
    if (senderName === undefined) return own.get(senderId) ?? senderId
    return own.has(senderId) || looksLikeRole(senderName) ? undefined : senderName
  }
}

const bytesPerMs = 1000
/** The shortest rest: a short file costs as much as any file. */
const shortestRestMs = 500
const maxRestMs = 60_000
/** The most attempts when the conversation is deleted and created again during the write. */
const maxAttempts = 5
/**
 * Events without effect on the file. With more than `maxEventsChecked` new events it is written
 * without a check.
 */
const notInTheFile: ReadonlySet<string> = new Set([
  'messages-delivered',
  'messages-returned',
  'messages-ordered',
  'messages-read',
  'chat-limited',
  'turn-begins',
  'queue-paused',
  'queue-goes-on',
])
const maxEventsChecked = 200

interface Cursor {
  readonly incarnation: string
  readonly seq: number
  /** The file's name in the folder. */
  readonly file: string
}

export const conversationFile: MirrorTarget = {
  kind: 'conversation',
  // SE5: an invalid key in the table names no file.
  covers: (key) => refusalOfKey(key) === undefined,
  write: async (mirrored) => {
    for (let tries = 1; ; tries++) {
      try {
        return await writes.run(turnOf(mirrored), () => writeOnce(mirrored))
      } catch (error) {
        if (!(error instanceof ConversationDeleted) || tries === maxAttempts) throw error
      }
    }
  },
  isCurrent: async (mirrored, head) => {
    const { plain, apart, cursor: path } = namesOf(mirrored.data, mirrored.id)
    const cursor = await readCursor(path)
    if (cursor)
      return (
        isOurs(cursor, mirrored) &&
        cursor.seq >= head &&
        (await exists(join(dirname(plain), basename(cursor.file))))
      )
    const row = await mirrored.store.read((reader) =>
      reader.row('conversations', { key: mirrored.id }),
    )
    return !row && !(await exists(apart)) && !(await isFileOf(plain, mirrored.id))
  },
}

/**
 * Writes for the same file name run one after the other, so that one does not remove what another
 * has just written.
 */
const turnOf = ({ data, id }: MirroredStream): string => `${data}\n${claimOf(id) ?? id}`

async function writeOnce(mirrored: MirroredStream): Promise<number> {
  const { store, stream, data, id: key } = mirrored
  const { plain, apart, cursor: cursorPath } = namesOf(data, key)
  const { row, head, hasPlain } = await store.read(async (reader) => ({
    row: await reader.row('conversations', { key }),
    head: (await reader.first(selectPosition, { name: stream }))?.head ?? 0,
    hasPlain: (await reader.first(selectNameOf, { key })) !== undefined,
  }))
  const [path, other] = hasPlain ? [plain, apart] : [apart, plain]
  if (!row) {
    await removeOurs(key, [plain, apart])
    await rm(cursorPath, { force: true })
    return 0
  }
  const cursor = await readCursor(cursorPath)
  const next: Cursor = { incarnation: store.incarnation, seq: head, file: basename(path) }
  await makeFolder(dirname(cursorPath))
  if (
    cursor &&
    isOurs(cursor, mirrored) &&
    cursor.file === next.file &&
    (await isUpToDate(mirrored, cursor.seq, head, path))
  ) {
    await writeCursor(cursorPath, next)
    return 0
  }
  let bytes = 0
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of conversationText(store, row, head)) {
      bytes += piece.length
      yield piece
    }
  }
  if (!cursor && (await isForeign(mirrored, path))) await rename(path, `${path}.aside`)
  await replaceFile(path, counted())
  await removeOurs(key, [other])
  await writeCursor(cursorPath, next)
  return Math.min(Math.max(shortestRestMs, bytes / bytesPerMs), maxRestMs)
}

/**
 * Whether the file belongs to another program: broken, or under a wrong name. The file of a known
 * conversation is ours.
 */
async function isForeign({ store, id }: MirroredStream, path: string): Promise<boolean> {
  if (!(await exists(path))) return false
  const saved = await readSavedConversation(path)
  if ('why' in saved) return true
  const { key } = saved.conversation
  return (
    key !== id &&
    !(await store.read((reader) => reader.first(selectPosition, { name: conversationStream(key) })))
  )
}

/** Whether only events without effect on the file happened since. */
async function isUpToDate(
  { store, stream }: MirroredStream,
  after: number,
  head: number,
  path: string,
): Promise<boolean> {
  if (after >= head || !(await exists(path))) return false
  const events = await store.eventsAfter(stream, after, maxEventsChecked)
  return events.length < maxEventsChecked && events.every(({ type }) => notInTheFile.has(type))
}

/**
 * Removes the file of a deleted conversation, or one under an earlier name. Never another
 * conversation's.
 */
async function removeOurs(key: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (!(await isFileOf(path, key))) continue
    await rm(path, { force: true })
    await syncFolder(dirname(path))
  }
}

const isOurs = ({ incarnation }: Cursor, { store }: MirroredStream): boolean =>
  incarnation === store.incarnation

const exists = (path: string): Promise<boolean> => succeeds(access(path))

/** Not fsynced: the file is durable before, and without a cursor it is only written once more. */
const writeCursor = (path: string, cursor: Cursor): Promise<void> =>
  writePlainFile(path, `${JSON.stringify(cursor)}\n`)

/** Reads the cursor; an unreadable one counts as absent. */
async function readCursor(path: string): Promise<Cursor | undefined> {
  const { incarnation, seq, file } = ((await readJsonFile(path)) ?? {}) as Partial<Cursor>
  return incarnation !== undefined && seq !== undefined && file !== undefined
    ? { incarnation, seq, file }
    : undefined
}

const writes = new Sequences()

// The note of a day (DC3), below workspace/memory in the data folder: it is written again when its
// chapters change. Its cursor is written after it, so a crash in between only repeats the write. A
// day without conversations has no file.

/** Chapters of a day that are closed one after the other share a write. */
const restMs = 1000

export interface NoteReport {
  written(day: Day, seq: number): Promise<void>
  failed(day: Day, problem: string): Promise<void>
}

export const notePath = (data: string, day: Day): string => {
  const { folder, file } = notePathOf(day)
  return join(data, 'workspace', 'memory', folder, file)
}

export const noteFile = (report?: NoteReport): MirrorTarget => ({
  kind: 'note',
  covers: (id) => parseDay(id) === id,
  write: async (mirrored) => {
    const day = mirrored.id
    try {
      const seq = await writeNote(mirrored)
      await report?.written(day, seq)
      return restMs
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      await report?.failed(day, problem).catch(() => {})
      throw error
    }
  },
  isCurrent: async ({ data, id, store }, head) => {
    const cursor = await readNoteCursor(notePath(data, id))
    if (cursor?.incarnation !== store.incarnation || cursor.seq < head) return false
    // After a crash between the file and its report, both are repeated.
    const note = report && (await store.read((reader) => reader.row('notes', { day: id })))
    return !note || note.written_seq >= head
  },
})

async function writeNote({ store, data, id: day }: MirroredStream): Promise<number> {
  const path = notePath(data, day)
  const contents = await store.read((reader) => noteContents(reader, day))
  await makeFolder(dirname(path), 0o750)
  await syncFolder(dirname(dirname(path)))
  if (contents.chapters.length > 0) await replaceFile(path, bytesOf(noteText(store, contents)))
  else await rm(path, { force: true })
  await writeFileAtomic(
    cursorOf(path),
    `${JSON.stringify({ incarnation: store.incarnation, seq: contents.seq })}\n`,
  )
  return contents.seq
}

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

const cursorOf = (path: string): string =>
  join(dirname(path), `.${path.slice(dirname(path).length + 1)}.mirror.json`)

/**
 * Reads the cursor. An unreadable one, or one without its file, counts as absent: then the file is
 * written again.
 */
async function readNoteCursor(path: string): Promise<Omit<Cursor, 'file'> | undefined> {
  const isThere = await succeeds(readPlainFile(path))
  return isThere ? (readJsonFile(cursorOf(path)) as Promise<Omit<Cursor, 'file'>>) : undefined
}
