/**
 * Mirrors a stream as JSON files, each from one snapshot. The cursor is written last, so a crash
 * only repeats the write.
 */

import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StreamKind, StreamName } from '../domain/stream-name.ts'
import { syncFolder, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { makeFolder } from '../platform/files/make-folder.ts'
import { readJsonFile, readPlainFile } from '../platform/files/plain-file.ts'
import { selectPosition } from '../store/log/event-log.ts'
import type { Reader } from '../store/store.ts'
import type { MirroredStream, MirrorTarget } from './mirror.ts'

export const jsonText = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`

/** Writes only when the content changes: most changes concern one of many files. */
export async function writeJson(path: string, content: unknown): Promise<void> {
  const text = jsonText(content)
  const before = await readPlainFile(path).catch(() => undefined)
  if (before !== text) await writeFileAtomic(path, text)
}

interface JsonFolder {
  readonly kind: StreamKind
  /** The path below the data folder. */
  readonly path: (id: string) => string
  /** The content of every file by name, from one snapshot; null for a file to be removed. */
  readonly contents: (reader: Reader, id: string) => Promise<Readonly<Record<string, unknown>>>
  /** Writes the other content of the folder: all of it, or only what moved since. */
  readonly inside?: (
    mirrored: MirroredStream,
    folder: string,
    moved: MovedEvents | 'all',
  ) => Promise<void>
}

/** The events after the first number up to the second. */
export interface MovedEvents {
  readonly after: number
  readonly through: number
}

interface FolderCursor {
  readonly incarnation: string
  readonly stream: StreamName
  readonly seq: number
}

export const jsonFolder = ({ kind, path, contents, inside }: JsonFolder): MirrorTarget => {
  const folderOf = ({ data, id }: MirroredStream): string => join(data, path(id))
  return {
    kind,
    covers: () => true,
    write: async (mirrored) => {
      const { store, stream, id } = mirrored
      const folder = folderOf(mirrored)
      const written = inside && (await readCursor(folder))
      const { files, seq } = await store.read(async (reader) => ({
        files: await contents(reader, id),
        seq: (await reader.first(selectPosition, { name: stream }))?.head ?? 0,
      }))
      await makeFolder(folder)
      for (const [name, content] of Object.entries(files)) {
        if (content === null) await rm(join(folder, name), { force: true })
        else await writeJson(join(folder, name), content)
      }
      await syncFolder(dirname(folder))
      const isOurs = written?.incarnation === store.incarnation && written.seq <= seq
      await inside?.(mirrored, folder, isOurs ? { after: written.seq, through: seq } : 'all')
      const cursor: FolderCursor = { incarnation: store.incarnation, stream, seq }
      await writeFileAtomic(cursorFile(folder), `${JSON.stringify(cursor)}\n`)
      return 0
    },
    isCurrent: async (mirrored, head) => {
      const cursor = await readCursor(folderOf(mirrored))
      return cursor?.incarnation === mirrored.store.incarnation && cursor.seq >= head
    },
  }
}

const cursorFile = (folder: string): string => join(folder, '.mirror.json')

/** Reads the cursor. An unreadable one counts as absent: then the files are written again. */
const readCursor = (folder: string) =>
  readJsonFile(cursorFile(folder)) as Promise<FolderCursor | undefined>
