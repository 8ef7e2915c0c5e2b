/**
 * The facts the server does not have yet (CO6): numbered, and written to a file before they are sent, so that the next coordinator
 * of the folder sends what this one could not. It never drops a fact. When it is full, agents' output is not read any more; what
 * must be told all the same, such as an exit, is still taken.
 *
 * The file is for a coordinator that dies, not for a machine that does: after a power cut the processes it tells of are gone too.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { LinkFact, maxFactsBytes, maxFactsPerMessage } from '../protocol/processes/link.ts'

type WithoutNumber<Fact> = Fact extends unknown ? Omit<Fact, 'n'> : never
export type NewFact = WithoutNumber<LinkFact>
/** For who tells of one launch only. */
export type WithoutLaunch<Fact> = Fact extends { launchId: string } ? Omit<Fact, 'launchId'> : never

const maxSpooledBytes = 64 * 1024 * 1024
/** Acknowledged lines in the file before it is written anew without them. */
const maxStaleBytes = 4 * 1024 * 1024

export interface SpoolOptions {
  readonly file: string
  readonly maxBytes?: number
  /** It is full, or has room again. */
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
  /** The file does not hold everything: the disk was full. */
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

  /** Something has happened, beside agents that write. */
  get hasNews(): boolean {
    return this.#entries.some(({ fact: { type } }) => type !== 'process-output' && type !== 'turn-update')
  }

  /** Everything the server does not have, oldest first. */
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

  /** As many as one message may hold. */
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

  /** The server has all up to this number, and the next is higher. */
  acknowledge(through: number): void {
    this.#lastNumber = Math.max(this.#lastNumber, through)
    const kept = this.#entries.findIndex(({ fact }) => fact.n > through)
    const gone = this.#entries.splice(0, kept < 0 ? this.#entries.length : kept)
    if (gone.length === 0) return
    for (const { bytes } of gone) this.#bytes -= bytes
    const stale = this.#fileBytes - this.#bytes
    if (this.isEmpty) this.#truncateAll()
    else if (this.#isFileIncomplete || (stale > maxStaleBytes && stale > this.#bytes)) this.#rewrite()
    this.#updateFull()
  }

  /** Sets one aside that the server cannot take. */
  drop(number: number): void {
    this.#entries = this.#entries.filter(({ fact }) => fact.n !== number)
    this.#bytes = this.#entries.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#rewrite()
    this.#updateFull()
  }

  /** Whoever was replaced has nothing more to tell. */
  clear(): void {
    this.acknowledge(this.#lastNumber)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** What the one before has left. A line that was being written when it died is not there. */
  #load(): void {
    const text = fstatSync(this.#descriptor).isFile() ? readFileSync(this.#descriptor, 'utf8') : ''
    const lines = text.split('\n')
    const torn = lines.pop() ?? ''
    for (const line of lines) {
      const fact = factIn(line)
      if (!fact || fact.n <= this.#lastNumber) {
        this.#options.warn('A line of the spool makes no sense and was left out.')
        continue
      }
      this.#lastNumber = fact.n
      // It went; whoever reads this has come since.
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
      this.#options.warn(`The spool cannot be written (${codeOf(error)}); agents' output is not read until it can.`)
      this.#truncate(this.#fileBytes)
    }
  }

  /** Only what is still needed, in one step: a crash leaves the old file or the new one. */
  #rewrite(): void {
    const { file } = this.#options
    const whole = Buffer.concat(this.#entries.map(({ fact }) => lineOf(fact)))
    try {
      const descriptor = openSync(`${file}.new`, 'w', 0o600)
      try {
        for (let written = 0; written < whole.length; ) written += writeSync(descriptor, whole, written)
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

  /** Nothing is left that the file could lack. */
  #truncateAll(): void {
    this.#isFileIncomplete = false
    this.#truncate(0)
  }

  #truncate(bytes: number): void {
    try {
      ftruncateSync(this.#descriptor, bytes)
      this.#fileBytes = bytes
    } catch {
      this.#isFileIncomplete = true
    }
  }

  /** Half empty before it has room again, so that it does not go to and fro. */
  #updateFull(): void {
    const full = this.#isFileIncomplete || this.#bytes >= (this.#full ? this.#maxBytes / 2 : this.#maxBytes)
    if (full === this.#full) return
    this.#full = full
    this.#options.onCapacityChange?.(!full)
  }
}

const lineOf = (fact: LinkFact): Buffer => Buffer.from(`${JSON.stringify(fact)}\n`)

function factIn(line: string): LinkFact | undefined {
  try {
    return LinkFact.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
