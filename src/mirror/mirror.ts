/**
 * The mirror follows the log and writes files beside the database. The database is authoritative;
 * every file can be written again from it. Doorbells say which streams moved; the content comes
 * from a snapshot. A file that cannot be written is reported and retried, and delays no other.
 */
import { parseStream, type StreamKind, type StreamName } from '../domain/stream-name.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Store } from '../store/store.ts'

// The interface between the mirror (mirror.ts), which decides when to write, and its targets, which
// decide what and where.

/** The source of the files: a store, or one snapshot of it. */
export type MirrorSource = Pick<Store, 'incarnation' | 'read' | 'eventsAfter'>

export interface MirroredStream {
  readonly store: MirrorSource
  readonly data: string
  readonly stream: StreamName
  /** The part of the stream's name after its kind. */
  readonly id: string
}

export interface MirrorTarget {
  readonly kind: StreamKind
  /** Whether this stream has files at all. */
  readonly covers: (id: string) => boolean
  /**
   * Writes the files from the store, whatever their current state. Repeating it, also after a
   * crash, gives the same files. Returns for how many milliseconds they should not be written
   * again.
   */
  readonly write: (mirrored: MirroredStream) => Promise<number>
  readonly isCurrent: (mirrored: MirroredStream, head: number) => Promise<boolean>
}

/**
 * Changes within this time are written once, which leaves the disk to a starting agent. Well below
 * the allowed second.
 */
const gatherMs = 250
/** Retry intervals of a file that cannot be written, doubled each time. */
const retryMs = { first: 1000, longest: 30_000 } as const
/** The longest rest; a longer one comes from a clock that was set back. */
const maxRestMs = 60_000
/** Streams checked per step of the search for changes missed while the server was down. */
const searchPage = 500
/** The most streams written concurrently: they mostly wait for the disk. */
const maxConcurrentWrites = 8

/** The most rounds awaited for one stream: the one under way and one after it. */
const maxTriesToSettle = 3

/** The part of a logger that the mirror needs; embedding programs have their own. */
export interface MirrorLogger {
  info(message: string): void
  warn(about: { readonly error: string }, message: string): void
}

interface Job {
  readonly name: string
  readonly stream: StreamName
  readonly target: MirrorTarget
  readonly mirrored: MirroredStream
}

export interface MirrorOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: MirrorLogger
  readonly folder: string
  readonly targets: readonly MirrorTarget[]
}

export class Mirror {
  readonly #options: MirrorOptions
  readonly #moved = new Map<string, Job>()
  readonly #beingWritten = new Set<Job>()
  /** Until when the files of a job are not written again; only for recent or failed writes. */
  readonly #resting = new Map<string, number>()
  /** Jobs that failed: each is retried at its own time and delays no other. */
  readonly #failing = new Map<string, { readonly tries: number; readonly why: string }>()
  readonly #stopListening: () => void
  #writing: Promise<void> | undefined
  #search: Promise<void> = Promise.resolve()
  #timer: { readonly dueAt: number; readonly cancel: () => void } | undefined
  #reported: string | null = null
  #stopped = false

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#stopListening = options.store.doorbell.onAny((stream) => this.#note(this.#jobsOf(stream)))
  }

  /** Finds changes that were missed before the start. New changes are mirrored meanwhile. */
  start(): void {
    this.#search = this.#findMissed('')
  }

  /** Why files are behind, for people; null when they are not. */
  get problem(): string | null {
    const [first] = this.#failing.values()
    return first?.why ?? null
  }

  /** The number of files or folders that wait to be written. */
  get behind(): number {
    return this.#moved.size
  }

  /**
   * Resolves when everything committed before this call is in the files; rejects when a file cannot
   * be written.
   */
  async flush(): Promise<void> {
    await this.#search
    while (this.#writing || this.#moved.size > 0) {
      this.#resting.clear()
      await (this.#writing ?? this.#write())
      if (this.problem && this.#moved.size > 0) throw new Error(this.problem)
    }
  }

  /** The same for one stream, without waiting for others. */
  async settled(stream: StreamName): Promise<void> {
    // The doorbell for it may not have rung yet.
    const jobs = this.#jobsOf(stream)
    this.#note(jobs)
    const isIts = (job: Job): boolean => job.stream === stream
    const isBehind = (): boolean =>
      jobs.some(({ name }) => this.#moved.has(name)) || [...this.#beingWritten].some(isIts)
    for (let tries = 0; tries < maxTriesToSettle; tries++) {
      if (!isBehind()) return
      // The next round includes it, whichever call starts it.
      for (const { name } of jobs) this.#resting.delete(name)
      await (this.#writing ?? this.#write())
    }
    const whyOwn = jobs
      .map(({ name }) => this.#failing.get(name)?.why)
      .find((why) => why !== undefined)
    if (isBehind()) throw new Error(whyOwn ?? `Files of ${stream} are behind`)
  }

  async stop(): Promise<void> {
    this.#stopListening()
    this.#stopped = true
    this.#timer?.cancel()
    await this.flush().catch((error) =>
      this.#options.logger.warn({ error: String(error) }, 'mirrored files are behind'),
    )
  }

  #note(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#moved.set(job.name, job)
      if (!this.#writing) this.#wakeAt(this.#dueAt(job))
    }
  }

  #dueAt(job: Job): number {
    return Math.max(this.#options.clock.now() + gatherMs, this.#restsUntil(job))
  }

  #restsUntil({ name }: Job): number {
    const until = this.#resting.get(name) ?? 0
    return until > this.#options.clock.now() + maxRestMs ? 0 : until
  }

  #wakeAt(dueAt: number): void {
    if (this.#stopped || (this.#timer && this.#timer.dueAt <= dueAt)) return
    const { clock } = this.#options
    this.#timer?.cancel()
    const cancel = clock.after(dueAt - clock.now(), () => {
      this.#timer = undefined
      void this.#write()
    })
    this.#timer = { dueAt, cancel }
  }

  #write(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      for (const job of this.#moved.values()) this.#wakeAt(this.#dueAt(job))
    })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const { clock, logger } = this.#options
    const jobs = [...this.#moved.values()].filter((job) => this.#restsUntil(job) <= clock.now())
    for (const { name } of jobs) this.#moved.delete(name)
    const next = jobs.values()
    const writeRest = async (): Promise<void> => {
      for (const job of next) await this.#writeJob(job)
    }
    await Promise.all(Array.from({ length: maxConcurrentWrites }, writeRest))
    const { problem } = this
    if (problem && problem !== this.#reported) this.#warn(problem)
    if (!problem && this.#reported) logger.info('mirrored files are written again')
    this.#reported = problem
    for (const [name, until] of this.#resting) if (until <= clock.now()) this.#resting.delete(name)
  }

  async #writeJob(job: Job): Promise<void> {
    const { name, stream, target, mirrored } = job
    this.#beingWritten.add(job)
    try {
      this.#rest(job, await target.write(mirrored))
      this.#failing.delete(name)
    } catch (error) {
      this.#moved.set(name, job)
      const tries = (this.#failing.get(name)?.tries ?? 0) + 1
      const why = `Files of ${stream} cannot be written: ${error instanceof Error ? error.message : String(error)}`
      this.#failing.set(name, { tries, why })
      this.#rest(job, Math.min(retryMs.first * 2 ** (tries - 1), retryMs.longest))
    } finally {
      this.#beingWritten.delete(job)
    }
  }

  #rest({ name }: Job, ms: number): void {
    if (ms > 0) this.#resting.set(name, this.#options.clock.now() + ms)
  }

  /**
   * Searches the streams after this name. When the store cannot be read, it continues from there
   * later.
   */
  async #findMissed(begin: string): Promise<void> {
    const { store, clock } = this.#options
    let after = begin
    try {
      while (!this.#stopped) {
        const streams = await store.streamsAfter(after, searchPage)
        for (const { name, head } of streams)
          for (const job of this.#jobsOf(name)) if (!(await isCurrent(job, head))) this.#note([job])
        const last = streams.at(-1)
        if (!last || streams.length < searchPage) return
        after = last.name
      }
    } catch (error) {
      if (this.#stopped) return
      this.#warn(error)
      clock.after(retryMs.first, () => {
        this.#search = this.#findMissed(after)
      })
    }
  }

  /** Returns a job for each target that has files of the stream. */
  #jobsOf(stream: StreamName): Job[] {
    const { store, folder: data, targets } = this.#options
    const parsed = parseStream(stream)
    if (!parsed) return []
    const { kind, id } = parsed
    return targets.flatMap((target, index) =>
      target.kind === kind && target.covers(id)
        ? [{ name: `${index} ${stream}`, stream, target, mirrored: { store, data, stream, id } }]
        : [],
    )
  }

  #warn(error: unknown): void {
    this.#options.logger.warn({ error: String(error) }, 'mirrored files are behind; retrying')
  }
}

/**
 * A job that cannot be checked counts as not current: it is written, or the write reports the
 * error.
 */
const isCurrent = ({ target, mirrored }: Job, head: number): Promise<boolean> =>
  target.isCurrent(mirrored, head).catch(() => false)
