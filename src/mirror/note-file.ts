/**
 * `<data>/workspace/memory/YYYYMM/YYYYMMDD.md` (DC3): the note of a day, written again when its chapters change. Its cursor is
 * written after it, so a crash in between only repeats the write. A day without conversations has no file.
 */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Day, parseDay } from '../domain/conversations/chapter.ts'
import { notePathOf } from '../domain/conversations/daily-note.ts'
import { replaceFile, syncFolder, writeFileAtomic } from '../platform/atomic-file.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { readPlainFile } from '../platform/plain-file.ts'
import { noteContents, noteText, selectNote } from '../store/conversations/notes.ts'
import type { MirroredStream, MirrorTarget } from './mirror-target.ts'

/** Chapters of a day that are closed one after the other share a write. */
const restMs = 1000

/** Receives the outcome of each write. */
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
    const cursor = await readCursor(notePath(data, id))
    if (cursor?.incarnation !== store.incarnation || cursor.seq < head) return false
    // After a crash between the file and its report, both are repeated.
    const note = report && (await store.read((reader) => reader.first(selectNote, { day: id })))
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
  await writeFileAtomic(cursorOf(path), `${JSON.stringify({ incarnation: store.incarnation, seq: contents.seq })}\n`)
  return contents.seq
}

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

const cursorOf = (path: string): string => join(dirname(path), `.${path.slice(dirname(path).length + 1)}.mirror.json`)

/** Reads the cursor. An unreadable one, or one without its file, counts as absent: then the file is written again. */
async function readCursor(path: string): Promise<{ incarnation: string; seq: number } | undefined> {
  try {
    await readPlainFile(path)
    return JSON.parse(await readPlainFile(cursorOf(path))) as { incarnation: string; seq: number }
  } catch {
    return undefined
  }
}
