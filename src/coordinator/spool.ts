/**
 * Facts that the server has not acknowledged (CO6). They are numbered and written to a file before
 * they are sent, so that the next coordinator sends what this one could not. No fact is dropped.
 * When the spool is full, agent output is no longer read; other facts are still accepted.
 *
 * The file is for a coordinator that dies, not for a machine that does: after a power cut the
 * processes it tells of are gone too.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { parsedJson } from '../platform/json.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import {
  type CoordinatorFacts,
  type CoordinatorTaken,
  heartbeatMs,
  LinkFact,
  maxFactsBytes,
  maxFactsPerMessage,
} from '../protocol/processes/link.ts'
import { type LinkConnection, RefusedError } from './link-connection.ts'

type WithoutNumber<Fact> = Fact extends unknown ? Omit<Fact, 'n'> : never
export type NewFact = WithoutNumber<LinkFact>
/** A fact without its launch id. */
export type WithoutLaunch<Fact> = Fact extends { launchId: string } ? Omit<Fact, 'launchId'> : never

const maxSpooledBytes = 64 * 1024 * 1024
/** Acknowledged bytes in the file that trigger a rewrite. */
const maxStaleBytes = 4 * 1024 * 1024

export interface SpoolOptions {
  readonly file: string
  readonly maxBytes?: number
  /** Called when the spool becomes full, and when it has capacity again. */
  readonly onCapacityChange?: (room: boolean) => void
  readonly warn: (message: string) => void
}

interface Entry {
  readonly fact: LinkFact
  readonly bytes: number
}

export class Spool {
  readonly #options: SpoolOptions
  readonly #maxBytes: number
  #descriptor: number
  #fileBytes = 0
  #entries: Entry[] = []
  #bytes = 0
  #lastNumber = 0
  #full = false
  /** The file lacks facts, because writing failed. */
  #isFileIncomplete = false

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? maxSpooledBytes
    this.#descriptor = openSync(options.file, 'a+', 0o600)
    this.#load()
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  get isFull(): boolean {
    return this.#full
  }

  /** Whether it holds facts other than agent output. */
  get hasNews(): boolean {
    return this.#entries.some(
      ({ fact: { type } }) => type !== 'process-output' && type !== 'turn-update',
    )
  }

  get facts(): readonly LinkFact[] {
    return this.#entries.map(({ fact }) => fact)
  }

  add(fact: NewFact): void {
    const numbered = { n: ++this.#lastNumber, ...fact } as LinkFact
    const line = lineOf(numbered)
    this.#entries.push({ fact: numbered, bytes: line.length })
    this.#bytes += line.length
    if (this.#isFileIncomplete) this.#rewrite()
    else this.#write(line)
    this.#updateFull()
  }

  batch(): LinkFact[] {
    const facts: LinkFact[] = []
    let bytes = 0
    for (const entry of this.#entries) {
      bytes += entry.bytes
      if (facts.length === maxFactsPerMessage || (bytes > maxFactsBytes && facts.length > 0)) break
      facts.push(entry.fact)
    }
    return facts
  }

  /** Drops facts up to this number. Later numbers are higher. */
  acknowledge(through: number): void {
    this.#lastNumber = Math.max(this.#lastNumber, through)
    const firstLeft = this.#entries.findIndex(({ fact }) => fact.n > through)
    const gone = this.#entries.splice(0, firstLeft < 0 ? this.#entries.length : firstLeft)
    if (gone.length === 0) return
    for (const { bytes } of gone) this.#bytes -= bytes
    const stale = this.#fileBytes - this.#bytes
    if (this.isEmpty) {
      this.#isFileIncomplete = false
      this.#truncate(0)
    } else if (this.#isFileIncomplete || (stale > maxStaleBytes && stale > this.#bytes))
      this.#rewrite()
    this.#updateFull()
  }

  drop(number: number): void {
    this.#entries = this.#entries.filter(({ fact }) => fact.n !== number)
    this.#bytes = this.#entries.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#rewrite()
    this.#updateFull()
  }

  /** Drops everything, after this coordinator was replaced. */
  clear(): void {
    this.acknowledge(this.#lastNumber)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** Loads what the previous coordinator left. An incomplete last line is dropped. */
  #load(): void {
    const text = fstatSync(this.#descriptor).isFile() ? readFileSync(this.#descriptor, 'utf8') : ''
    const lines = text.split('\n')
    const torn = lines.pop() ?? ''
    for (const line of lines) {
      const fact = factIn(line)
      if (!fact || fact.n <= this.#lastNumber) {
        this.#options.warn('unreadable line of the spool skipped')
        continue
      }
      this.#lastNumber = fact.n
      // The goodbye was of the previous coordinator.
      if (fact.type === 'goodbye') continue
      const bytes = Buffer.byteLength(line) + 1
      this.#entries.push({ fact, bytes })
      this.#bytes += bytes
    }
    this.#fileBytes = Buffer.byteLength(text)
    if (torn !== '') this.#truncate(this.#fileBytes - Buffer.byteLength(torn))
    this.#full = this.#bytes >= this.#maxBytes
  }

  #write(line: Buffer): void {
    try {
      let written = 0
      while (written < line.length) written += writeSync(this.#descriptor, line, written)
      this.#fileBytes += line.length
    } catch (error) {
      this.#isFileIncomplete = true
      this.#options.warn(
        `The spool cannot be written (${codeOf(error)}); agents' output is not read until it can.`,
      )
      this.#truncate(this.#fileBytes)
    }
  }

  #rewrite(): void {
    const { file } = this.#options
    const whole = Buffer.concat(this.#entries.map(({ fact }) => lineOf(fact)))
    try {
      const descriptor = openSync(`${file}.new`, 'w', 0o600)
      try {
        for (let written = 0; written < whole.length; )
          written += writeSync(descriptor, whole, written)
      } finally {
        closeSync(descriptor)
      }
      renameSync(`${file}.new`, file)
      closeSync(this.#descriptor)
      this.#descriptor = openSync(file, 'a+', 0o600)
      this.#fileBytes = whole.length
      this.#isFileIncomplete = false
    } catch {
      this.#isFileIncomplete = true
    }
  }

  #truncate(bytes: number): void {
    try {
      ftruncateSync(this.#descriptor, bytes)
      this.#fileBytes = bytes
    } catch {
      this.#isFileIncomplete = true
    }
  }

  /** Becomes free again only when half empty, to avoid flapping. */
  #updateFull(): void {
    const full =
      this.#isFileIncomplete || this.#bytes >= (this.#full ? this.#maxBytes / 2 : this.#maxBytes)
    if (full === this.#full) return
    this.#full = full
    this.#options.onCapacityChange?.(!full)
  }
}

const lineOf = (fact: LinkFact): Buffer => Buffer.from(`${JSON.stringify(fact)}\n`)

const factIn = (line: string): LinkFact | undefined => LinkFact.safeParse(parsedJson(line)).data

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

const batchEveryMs = 50
const retryAfterMs = 1000
/** Statuses of messages that the server will never accept. */
const malformed = new Set([400, 413])

/**
 * Sends spooled facts over one connection, one message at a time: events at once, agent output at
 * most every 50 ms, and an empty message as a heartbeat (CO6). A fact is dropped when its number is
 * acknowledged. Sends nothing before `begin`.
 */
export interface FactSenderOptions {
  readonly connection: LinkConnection
  readonly epoch: number
  readonly spool: Spool
  readonly clock: Clock
  readonly logger: Logger
  readonly onFenced: () => void
  readonly onEmpty: () => void
}

export class FactSender {
  readonly #options: FactSenderOptions
  #sentAt = Number.NEGATIVE_INFINITY
  #hasBegun = false
  #isSending = false
  #isStopped = false
  /** The last message was refused; wait before the next. */
  #isRefused = false
  /** Halved while a message is refused, until the bad fact is found. */
  #maxFacts = Number.POSITIVE_INFINITY
  #cancel: (() => void) | undefined
  #cancelHeartbeat: (() => void) | undefined

  constructor(options: FactSenderOptions) {
    this.#options = options
  }

  /**
   * Starts sending. The first message, even if empty, says that the orders are known and launches
   * can be offered (CO4).
   */
  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    void this.#send()
  }

  wake(): void {
    const { clock, spool } = this.#options
    if (!this.#hasBegun || this.#isSending || this.#isStopped || this.#isRefused || spool.isEmpty)
      return
    // Facts of one event-loop turn share a message and a commit.
    if (spool.hasNews) setImmediate(() => this.#send())
    else if (!this.#cancel)
      this.#schedule(Math.min(batchEveryMs, Math.max(0, this.#sentAt + batchEveryMs - clock.now())))
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#cancelHeartbeat?.()
  }

  #schedule(ms: number): void {
    this.#cancel?.()
    this.#cancel = this.#options.clock.after(ms, () => this.#send())
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat?.()
    this.#cancelHeartbeat = this.#options.clock.after(heartbeatMs, () => {
      if (!this.#isSending) void this.#send()
      this.#scheduleHeartbeat()
    })
  }

  async #send(): Promise<void> {
    const { connection, epoch, spool, clock, onEmpty } = this.#options
    if (this.#isStopped || this.#isSending) return
    this.#isSending = true
    this.#isRefused = false
    this.#cancel?.()
    this.#cancel = undefined
    this.#sentAt = clock.now()
    this.#scheduleHeartbeat()
    const facts = spool.batch().slice(0, this.#maxFacts)
    const message: CoordinatorFacts = { type: 'coordinator:facts', epoch, facts }
    try {
      const { through } = (await connection.ask(message)) as unknown as CoordinatorTaken
      spool.acknowledge(through)
      this.#maxFacts = Number.POSITIVE_INFINITY
      this.#isSending = false
      if (spool.isEmpty) onEmpty()
      else this.wake()
    } catch (error) {
      this.#isSending = false
      if (error instanceof RefusedError) this.#refused(error, facts)
    }
  }

  #refused(error: RefusedError, facts: readonly LinkFact[]): void {
    const { onFenced, logger, spool } = this.#options
    if (error.code === 'fenced') return onFenced()
    logger.warn(
      { code: error.code, facts: facts.length, error: error.message },
      'server rejected facts',
    )
    if (malformed.has(error.status) && facts.length > 0) {
      const [first] = facts
      if (facts.length > 1) this.#maxFacts = Math.floor(facts.length / 2)
      // RE9: a fact that cannot be sent must not block the others.
      else if (first) spool.drop(first.n)
    }
    this.#isRefused = true
    this.#schedule(retryAfterMs)
  }
}
