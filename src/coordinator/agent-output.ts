/**
 * Collects, masks and bounds what an agent writes (CO4, SE7). The newest output is kept and
 * reported at most once a second, so flooding costs no more than normal output (RE9). Text is
 * masked before it is cut, and never cut inside a secret.
 */
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { KnownSecrets } from '../platform/log/known-secrets.ts'
import { mask } from '../platform/log/mask.ts'
import type { Clock } from '../platform/time/clock.ts'
import { maxOutputPiece } from '../protocol/processes/link.ts'
import { storable } from '../protocol/text.ts'
import type { AgentUpdate } from '../protocol/turns/agent-update.ts'

/** Kept of each stream between two reports. */
const maxBufferedBytes = 64 * 1024
const reportEveryMs = 1000
/** Delay that joins output written together. */
const firstWaitMs = 50

const leftOut = '[… too much at once: what came before was left out]\n'

class StreamBuffer {
  readonly stream: Readable
  readonly #secrets: KnownSecrets
  readonly #decoder = new StringDecoder('utf8')
  #chunks: Buffer[] = []
  #bytes = 0
  #lost = false
  /** Text after the last complete line of the previous report. */
  #rest = ''
  /** The rest waits for more, because a secret may have begun in it. */
  #isHeldBack = false

  constructor(stream: Readable, secrets: KnownSecrets) {
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
    return this.#bytes === 0 && (this.#rest === '' || this.#isHeldBack)
  }

  /**
   * Returns the complete lines; if nothing came since the last call, all but the beginning of a
   * secret; if `all`, everything.
   */
  take(all: boolean): string {
    const waited = this.#rest
    let text = this.#decoder.write(Buffer.concat(this.#chunks))
    text = this.#lost ? leftOut + afterCut(text, this.#secrets) : waited + text
    const isNew = this.#bytes > 0
    this.#chunks = []
    this.#bytes = 0
    this.#lost = false
    const end = text.lastIndexOf('\n') + 1
    const isLine = isNew && text.length - end < maxBufferedBytes
    const rest = isLine ? text.length - end : this.#secrets.tailLength(text)
    const keep = all ? 0 : rest
    this.#rest = text.slice(text.length - keep)
    this.#isHeldBack = !isLine
    return text.slice(0, text.length - keep)
  }
}

/**
 * Drops what may be the end of a secret at a cut: the tail of a known secret, and the first word.
 */
function afterCut(text: string, secrets: KnownSecrets): string {
  const behind = text.slice(secrets.headLength(text))
  const at = behind.search(/\s/)
  return at < 0 ? '' : behind.slice(at + 1)
}

export interface AgentOutputOptions {
  readonly clock: Clock
  readonly secrets: KnownSecrets
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
    const waitMs = Math.min(
      reportEveryMs,
      Math.max(firstWaitMs, this.#lastAt + reportEveryMs - clock.now()),
    )
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
    const clean = storable(mask(this.#options.secrets.mask(text)))
    return clean.length <= maxOutputPiece
      ? clean
      : leftOut + clean.slice(leftOut.length - maxOutputPiece).toWellFormed()
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

/** Returns a function that copies a value without the launch's secrets (SE7). */
export const createCleaner =
  (secrets: KnownSecrets) =>
  <Value>(value: Value): Value =>
    secrets.maskDeep(value, storable)

/**
 * Cleans the updates of a turn, whose text comes in pieces (SR4): an end that may be the beginning
 * of a secret waits for the next piece, for another update, or for `flush`.
 */
export class UpdateCleaner {
  readonly #secrets: KnownSecrets
  #rest: { readonly kind: 'text' | 'thought'; readonly text: string } | undefined

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets
  }

  add(update: AgentUpdate): AgentUpdate[] {
    if (update.kind !== 'text' && update.kind !== 'thought')
      return [...this.flush(), this.#secrets.maskDeep(update, storable)]
    const { kind } = update
    const before = this.#rest?.kind === kind ? [] : this.flush()
    const clean = this.#secrets.mask((this.#rest?.text ?? '') + update.text)
    const end = clean.length - this.#secrets.tailLength(clean)
    this.#rest = end === clean.length ? undefined : { kind, text: clean.slice(end) }
    return end === 0 ? before : [...before, { kind, text: storable(clean.slice(0, end)) }]
  }

  flush(): AgentUpdate[] {
    const rest = this.#rest
    this.#rest = undefined
    return rest ? [{ kind: rest.kind, text: storable(rest.text) }] : []
  }
}
