/**
 * The mirror: the one reader of the log that writes files beside the database. The database is the truth; every file here can
 * be made anew from it. Doorbells say which streams moved; what is then written comes from one snapshot, never from the ring.
 *
 * A folder's cursor lies beside its files and is written after them, so a crash in between only writes the same files again.
 * A file that cannot be written is tried again, with words, and holds nobody up.
 */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseStream, type StreamName } from '../domain/stream/name.ts'
import { syncFolder, writeFileAtomic } from '../platform/atomic-file.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { selectPosition } from '../store/event-log.ts'
import type { Store } from '../store/store.ts'
import type { MirrorFolder } from './mirror-folder.ts'

/** Changes that come within this time are written once; well inside the second that files may be behind. */
const gatherMs = 100
const retryMs = { first: 1000, longest: 30_000 } as const
/** Streams looked at per step of the search for what was missed while we were away. */
const searchPage = 500

export interface MirrorParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** The data folder. */
  readonly folder: string
  readonly folders: readonly MirrorFolder[]
}

interface FolderCursor {
  readonly incarnation: string
  readonly stream: StreamName
  readonly seq: number
}

export class Mirror {
  readonly #parts: MirrorParts
  readonly #moved = new Set<StreamName>()
  readonly #stopListening: () => void
  #writing: Promise<void> | undefined
  #search: Promise<void> = Promise.resolve()
  #cancelTimer: (() => void) | undefined
  #retryMs: number = retryMs.first
  #problem: string | null = null
  #stopped = false

  constructor(parts: MirrorParts) {
    this.#parts = parts
    this.#stopListening = parts.store.doorbell.onAny((stream) => this.#note(stream))
  }

  /** Finds what moved while nobody listened. New changes are mirrored meanwhile. */
  start(): void {
    this.#search = this.#findMissed().catch((error) => this.#warn(error))
  }

  /** Why files are behind, if they are: shown to people, and tried again meanwhile. */
  get problem(): string | null {
    return this.#problem
  }

  /** How many streams wait to be written. */
  get behind(): number {
    return this.#moved.size
  }

  /** Resolves when everything committed before this call is in the files; rejects when a file cannot be written. */
  async flush(): Promise<void> {
    await this.#search
    while (this.#writing || this.#moved.size > 0) {
      await (this.#writing ?? this.#write())
      if (this.#problem && this.#moved.size > 0) throw new Error(this.#problem)
    }
  }

  /** Writes what is left, then stops. */
  async stop(): Promise<void> {
    this.#stopListening()
    this.#stopped = true
    this.#cancelTimer?.()
    await this.flush().catch((error) => this.#parts.logger.warn({ error: String(error) }, 'files beside the database are behind'))
  }

  #note(stream: StreamName): void {
    if (!this.#folderOf(stream)) return
    this.#moved.add(stream)
    if (!this.#writing && !this.#cancelTimer) this.#later(gatherMs)
  }

  #later(ms: number): void {
    if (this.#stopped) return
    this.#cancelTimer = this.#parts.clock.after(ms, () => {
      this.#cancelTimer = undefined
      void this.#write()
    })
  }

  #write(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      if (this.#moved.size > 0) this.#later(this.#problem ? this.#retryMs : gatherMs)
    })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const streams = [...this.#moved]
    this.#moved.clear()
    let problem: string | null = null
    for (const stream of streams) {
      try {
        await this.#writeStream(stream)
      } catch (error) {
        this.#moved.add(stream)
        problem = `Files of ${stream} cannot be written: ${error instanceof Error ? error.message : String(error)}`
      }
    }
    if (problem && problem !== this.#problem) this.#warn(problem)
    if (!problem && this.#problem) this.#parts.logger.info('files beside the database are written again')
    this.#retryMs = problem && this.#problem ? Math.min(this.#retryMs * 2, retryMs.longest) : retryMs.first
    this.#problem = problem
  }

  async #writeStream(stream: StreamName): Promise<void> {
    const found = this.#folderOf(stream)
    if (!found) return
    const { store } = this.#parts
    const { files, seq } = await store.read(async (reader) => ({
      files: await found.folder.contents(reader, found.id),
      seq: (await reader.first(selectPosition, { name: stream }))?.head ?? 0,
    }))
    await mkdir(found.path, { recursive: true, mode: 0o700 })
    for (const [name, content] of Object.entries(files)) {
      const path = join(found.path, name)
      if (content === null) await rm(path, { force: true })
      else await writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`)
    }
    await syncFolder(dirname(found.path))
    const cursor: FolderCursor = { incarnation: store.incarnation, stream, seq }
    await writeFileAtomic(cursorFile(found.path), `${JSON.stringify(cursor)}\n`)
  }

  async #findMissed(): Promise<void> {
    const { store } = this.#parts
    for (let after = ''; !this.#stopped; ) {
      const streams = await store.streamsAfter(after, searchPage)
      for (const { name, head } of streams) {
        const found = this.#folderOf(name)
        if (!found) continue
        const cursor = await readCursor(found.path)
        if (cursor?.incarnation !== store.incarnation || cursor.seq < head) this.#note(name)
      }
      const last = streams.at(-1)
      if (!last || streams.length < searchPage) return
      after = last.name
    }
  }

  #folderOf(stream: StreamName): { folder: MirrorFolder; id: string; path: string } | undefined {
    const parsed = parseStream(stream)
    const folder = this.#parts.folders.find(({ kind }) => kind === parsed?.kind)
    return parsed && folder && { folder, id: parsed.id, path: join(this.#parts.folder, folder.path(parsed.id)) }
  }

  #warn(error: unknown): void {
    this.#parts.logger.warn({ error: String(error) }, 'files beside the database are behind; trying again')
  }
}

const cursorFile = (folder: string): string => join(folder, '.mirror.json')

/** Unreadable counts as absent: then the files are written once more. */
async function readCursor(folder: string): Promise<FolderCursor | undefined> {
  try {
    return JSON.parse(await readFile(cursorFile(folder), 'utf8')) as FolderCursor
  } catch {
    return undefined
  }
}
