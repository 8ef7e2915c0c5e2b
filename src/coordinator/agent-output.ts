/**
 * What an agent writes, bounded and masked (CO4, SE7): the newest is kept, and told at most once a second, so that one that floods
 * costs no more than one that talks (RE9). It is masked before it is cut, and cut where no secret can be in the middle.
 */
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../platform/clock.ts'
import { mask, masked } from '../platform/mask.ts'
import { maxOutputPiece } from '../protocol/processes/link.ts'

/** Kept of each stream between two pieces. */
const maxBufferedBytes = 64 * 1024
const reportEveryMs = 1000
/** What is written together comes together. */
const firstWaitMs = 50

const leftOut = '[… too much at once: what came before was left out]\n'

/** One stream: its newest bytes, as they came. */
class StreamBuffer {
  readonly stream: Readable
  readonly #secrets: readonly string[]
  readonly #decoder = new StringDecoder('utf8')
  #chunks: Buffer[] = []
  #bytes = 0
  #lost = false
  /** Behind the last whole line of the piece before. */
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

  /** What there is, up to the last whole line; the rest when it has waited for its end long enough. */
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

/** Where something was cut off in front, the end of a secret may be left: of one we know, whatever is in it, or in the first word. */
function afterCut(text: string, secrets: readonly string[]): string {
  const behind = text.slice(Math.max(0, ...secrets.map((secret) => tailIn(text, secret))))
  const at = behind.search(/\s/)
  return at < 0 ? '' : behind.slice(at + 1)
}

/** How much of the end of the secret the text begins with. */
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
    // A pipe that breaks has ended.
    stream.on('error', () => {})
  }

  /** Nothing is read until `resume`: the agent waits when its pipe is full. */
  pause(): void {
    this.#isPaused = true
    for (const { stream } of this.#buffers) stream.pause()
  }

  resume(): void {
    this.#isPaused = false
    for (const { stream } of this.#buffers) stream.resume()
    this.#schedule()
  }

  /** Whatever is left is told now, and nothing after it. */
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
    // Also when there is nothing to tell yet: half a line waits its second for the other half.
    this.#lastAt = this.#options.clock.now()
    const text = this.#clean(this.#buffers.map((buffer) => buffer.take(all)).join(''))
    if (text !== '') this.#options.onPiece(text)
  }

  #clean(text: string): string {
    let clean = text
    for (const secret of this.#options.secrets) clean = clean.replaceAll(secret, masked)
    // PostgreSQL keeps no NUL.
    clean = mask(clean).replaceAll('\0', '\u2400')
    return clean.length <= maxOutputPiece ? clean : leftOut + clean.slice(leftOut.length - maxOutputPiece).toWellFormed()
  }
}
