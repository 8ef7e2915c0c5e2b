/**
 * Mirrors a numbered append-only list as a file of JSON lines. The file is its own cursor: writing continues after the number of
 * its last whole line. When the store does not have that line, the file is written anew.
 */
import { dirname, join } from 'node:path'
import type { StreamKind } from '../domain/stream-name.ts'
import { makeFolder } from '../platform/make-folder.ts'
import type { Reader } from '../store/store.ts'
import { addLines, readLastLine, removeLines, replaceLines } from './line-file.ts'
import type { MirroredStream, MirrorTarget } from './mirror-target.ts'

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
  /** The id of the entry with this number. */
  readonly idAt: (reader: Reader, id: string, seq: number) => Promise<string | undefined>
  readonly after: (reader: Reader, id: string, seq: number, limit: number) => Promise<readonly Numbered[]>
}

export function lineLog(log: LineLog): MirrorTarget {
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
    const isOurs = line && (await store.read((reader) => log.idAt(reader, id, line.seq))) === line.id
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
  try {
    const { seq, id } = JSON.parse(line) as Partial<Numbered>
    return Number.isSafeInteger(seq) && typeof id === 'string' ? { seq: Number(seq), id } : undefined
  } catch {
    return undefined
  }
}
