/**
 * The mirror: the one reader of the log that writes files beside the database. The database is the truth; every file here can
 * be made anew from it. Doorbells say which streams moved; what is then written comes from one snapshot, never from the ring.
 *
 * A file that cannot be written is tried again, with words, and holds nobody up.
 */
import { parseStream, type StreamName } from '../domain/stream/name.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Store } from '../store/store.ts'
import type { MirrorPlace, MirrorTarget } from './mirror-target.ts'

/** Changes that come within this time are written once; well inside the second that files may be behind. */
const gatherMs = 100
const retryMs = { first: 1000, longest: 30_000 } as const
/** Streams looked at per step of the search for what was missed while we were away. */
const searchPage = 500
/** Streams whose files are written side by side: a disk has more than one hand, and they wait for it most of the time. */
const writtenAtOnce = 8

/** Rounds of writing that are waited for when somebody needs the files of one stream: the one under way, and one more after it. */
const maxTriesToSettle = 3

export interface MirrorParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** The data folder. */
  readonly folder: string
  readonly targets: readonly MirrorTarget[]
}

export class Mirror {
  readonly #parts: MirrorParts
  readonly #moved = new Set<StreamName>()
  readonly #beingWritten = new Set<StreamName>()
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

  /** The same for one stream: whoever waits for its files does not wait for those of others. */
  async settled(stream: StreamName): Promise<void> {
    // Its doorbell may be on its way still.
    this.#note(stream)
    for (let tries = 0; tries < maxTriesToSettle; tries++) {
      if (!this.#moved.has(stream) && !this.#beingWritten.has(stream)) return
      await (this.#writing ?? this.#write())
    }
    throw new Error(this.#problem ?? `Files of ${stream} are behind`)
  }

  /** Writes what is left, then stops. */
  async stop(): Promise<void> {
    this.#stopListening()
    this.#stopped = true
    this.#cancelTimer?.()
    await this.flush().catch((error) => this.#parts.logger.warn({ error: String(error) }, 'files beside the database are behind'))
  }

  #note(stream: StreamName): void {
    if (!this.#find(stream)) return
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
    const next = streams.values()
    const writeRest = async (): Promise<void> => {
      for (const stream of next) problem = (await this.#writeStream(stream)) ?? problem
    }
    await Promise.all(Array.from({ length: writtenAtOnce }, writeRest))
    if (problem && problem !== this.#problem) this.#warn(problem)
    if (!problem && this.#problem) this.#parts.logger.info('files beside the database are written again')
    this.#retryMs = problem && this.#problem ? Math.min(this.#retryMs * 2, retryMs.longest) : retryMs.first
    this.#problem = problem
  }

  /** What went wrong, if something did; then it is tried again. */
  async #writeStream(stream: StreamName): Promise<string | undefined> {
    const found = this.#find(stream)
    this.#beingWritten.add(stream)
    try {
      await found?.target.write(found.place)
      return undefined
    } catch (error) {
      this.#moved.add(stream)
      return `Files of ${stream} cannot be written: ${error instanceof Error ? error.message : String(error)}`
    } finally {
      this.#beingWritten.delete(stream)
    }
  }

  async #findMissed(): Promise<void> {
    const { store } = this.#parts
    for (let after = ''; !this.#stopped; ) {
      const streams = await store.streamsAfter(after, searchPage)
      for (const { name, head } of streams) {
        const found = this.#find(name)
        if (found && !(await found.target.isCurrent(found.place, head))) this.#note(name)
      }
      const last = streams.at(-1)
      if (!last || streams.length < searchPage) return
      after = last.name
    }
  }

  #find(stream: StreamName): { target: MirrorTarget; place: MirrorPlace } | undefined {
    const parsed = parseStream(stream)
    const target = parsed && this.#parts.targets.find(({ kind, covers }) => kind === parsed.kind && covers(parsed.id))
    const { store, folder: data } = this.#parts
    return target && { target, place: { store, data, stream, id: parsed.id } }
  }

  #warn(error: unknown): void {
    this.#parts.logger.warn({ error: String(error) }, 'files beside the database are behind; trying again')
  }
}
