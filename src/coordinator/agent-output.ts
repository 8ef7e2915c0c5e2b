/**
 * Collects, masks and bounds what an agent writes (CO4, SE7). The newest output is kept and reported at most once a second, so
 * flooding costs no more than normal output (RE9). Text is masked before it is cut, and never cut inside a secret.
 */
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../platform/clock.ts'
import { mask, masked } from '../platform/mask.ts'
import { type LaunchParticulars, maxOutputPiece } from '../protocol/processes/link.ts'

/** Kept of each stream between two reports. */
const maxBufferedBytes = 64 * 1024
const reportEveryMs = 1000
/** Delay that joins output written together. */
const firstWaitMs = 50

const leftOut = '[… too much at once: what came before was left out]\n'

/** The newest bytes of one stream. */
class StreamBuffer {
  readonly stream: Readable
  readonly #secrets: readonly string[]
  readonly #decoder = new StringDecoder('utf8')
  #chunks: Buffer[] = []
  #bytes = 0
  #lost = false
  /** Text after the last complete line of the previous report. */
  #rest = ''

  constructor(stream: Readable, secrets: readonly string[]) {
    this.stream = stream
    this.#secrets = secrets
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes > maxBufferedBytes && this.#chunks.length > 1) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0
      this.#lost = true
    }
  }

  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#rest === ''
  }

  /** Returns the text up to the last complete line; all of it if `all`, or if no more has come since the last call. */
  take(all: boolean): string {
    const waited = this.#rest
    let text = this.#decoder.write(Buffer.concat(this.#chunks))
    text = this.#lost ? leftOut + afterCut(text, this.#secrets) : waited + text
    const isNew = this.#bytes > 0
    this.#chunks = []
    this.#bytes = 0
    this.#lost = false
    const end = text.lastIndexOf('\n') + 1
    const keep = !all && isNew && text.length - end < maxBufferedBytes ? text.slice(end) : ''
    this.#rest = keep
    return text.slice(0, text.length - keep.length)
  }
}

/** Drops what may be the end of a secret at a cut: the tail of a known secret, and the first word. */
function afterCut(text: string, secrets: readonly string[]): string {
  const behind = text.slice(Math.max(0, ...secrets.map((secret) => tailIn(text, secret))))
  const at = behind.search(/\s/)
  return at < 0 ? '' : behind.slice(at + 1)
}

/** Length of the secret's tail that the text begins with. */
function tailIn(text: string, secret: string): number {
  for (let from = 1; from < secret.length; from++) if (text.startsWith(secret.slice(from))) return secret.length - from
  return 0
}

export interface AgentOutputOptions {
  readonly clock: Clock
  readonly secrets: readonly string[]
  readonly onPiece: (text: string) => void
}

export class AgentOutput {
  readonly #options: AgentOutputOptions
  readonly #buffers: StreamBuffer[] = []
  #cancel: (() => void) | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #isPaused = false

  constructor(options: AgentOutputOptions) {
    this.#options = options
  }

  read(stream: Readable): void {
    const buffer = new StreamBuffer(stream, this.#options.secrets)
    this.#buffers.push(buffer)
    stream.on('data', (chunk: Buffer) => {
      buffer.add(chunk)
      this.#schedule()
    })
    // A broken pipe counts as ended.
    stream.on('error', () => {})
  }

  /** Stops reading until `resume`. The agent blocks when its pipe is full. */
  pause(): void {
    this.#isPaused = true
    for (const { stream } of this.#buffers) stream.pause()
  }

  resume(): void {
    this.#isPaused = false
    for (const { stream } of this.#buffers) stream.resume()
    this.#schedule()
  }

  /** Reports what is left and stops. */
  end(): void {
    this.#cancel?.()
    this.#report(true)
    for (const { stream } of this.#buffers) {
      stream.removeAllListeners('data')
      stream.destroy()
    }
    this.#isPaused = true
  }

  #schedule(): void {
    if (this.#cancel || this.#isPaused || this.#buffers.every(({ isEmpty }) => isEmpty)) return
    const { clock } = this.#options
    const waitMs = Math.min(reportEveryMs, Math.max(firstWaitMs, this.#lastAt + reportEveryMs - clock.now()))
    this.#cancel = clock.after(waitMs, () => {
      this.#cancel = undefined
      this.#report(false)
      this.#schedule()
    })
  }

  #report(all: boolean): void {
    // Also without text to report: half a line waits a second for the other half.
    this.#lastAt = this.#options.clock.now()
    const text = this.#clean(this.#buffers.map((buffer) => buffer.take(all)).join(''))
    if (text !== '') this.#options.onPiece(text)
  }

  #clean(text: string): string {
    let clean = text
    for (const secret of this.#options.secrets) clean = clean.replaceAll(secret, masked)
    // PostgreSQL stores no NUL.
    clean = mask(clean).replaceAll('\0', '\u2400')
    return clean.length <= maxOutputPiece ? clean : leftOut + clean.slice(leftOut.length - maxOutputPiece).toWellFormed()
  }
}

/** Blocks readers of an agent's output while the spool is full. */
export class OutputGate {
  #waiting: PromiseWithResolvers<void> | undefined

  /** Resolves when the gate opens; undefined while it is open. */
  get opened(): Promise<void> | undefined {
    return this.#waiting?.promise
  }

  set(open: boolean): void {
    if (!open) this.#waiting ??= Promise.withResolvers<void>()
    else {
      this.#waiting?.resolve()
      this.#waiting = undefined
    }
  }
}

// Removes the launch's secrets from agent output before it becomes an event (SE7), and characters that no store keeps: NUL and
// lone surrogates. Other environment values stay, because they are ordinary words.

const secretName = /key|token|secret|passw|credential|auth/i
const minSecretChars = 8

/** Returns a function that copies a value without the secrets. */
export function createCleaner({ env, launchToken }: LaunchParticulars): <Value>(value: Value) => Value {
  const named = Object.entries(env).filter(([name, value]) => secretName.test(name) && value.length >= minSecretChars)
  const secrets = [launchToken, ...named.map(([, value]) => value)].sort((a, b) => b.length - a.length)
  const cleanText = (text: string): string => {
    let clean = text
    for (const secret of secrets) clean = clean.replaceAll(secret, masked)
    return clean.replaceAll('\0', '\u2400').toWellFormed()
  }
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(clean)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each)]))
  }
  return (value) => clean(value) as typeof value
}
