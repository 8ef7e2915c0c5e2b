/**
 * The pipe between us and an agent, as the ACP library wants it. What the library leaves open is settled here: how long a line may be, what
 * happens to what is no message (AC3), how fast it is read, and order. The library hands notifications and answers on in
 * promises, so the answer to a prompt could overtake its last pieces; both are told here, in the order in which they came.
 */
import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import type { Clock } from '../../platform/clock.ts'
import { statusText } from '../../protocol/sentences.ts'
import {
  lineCost,
  maxLineBytes,
  maxNoiseBytes,
  maxReadChunk,
  maxReadPerWindow,
  maxSample,
  maxUnansweredRequests,
  readWindowMs,
} from './limits.ts'
import { LineReader } from './line-reader.ts'

/** What came over the pipe and was no message for us. */
export type Noise = 'not_json' | 'line_too_long' | 'not_a_message' | 'answer_to_nothing' | 'unknown_notification'

export interface WireOptions {
  /** The agent's standard output. */
  readonly from: Readable
  /** The agent's standard input. */
  readonly to: Writable
  readonly clock: Clock
  readonly onUpdate: (params: unknown) => void
  /** A request of ours was answered; the library is told right afterwards. */
  readonly onAnswered: (method: string, params: unknown) => void
  readonly onNoise: (noise: Noise, bytes: number, sample: string) => void
  /** While what it gives is pending nothing more is read. */
  readonly waitForCapacity?: (() => Promise<void> | undefined) | undefined
}

export class FloodError extends Error {}

type Fields = Record<string, unknown>

export class Wire {
  /** For the library. */
  readonly stream: Stream
  readonly #options: WireOptions
  /** Ours that are not answered, with what was asked. */
  readonly #pendingRequests = new Map<unknown, { readonly method: string; readonly params: unknown }>()
  readonly #incoming = new TransformStream<AnyMessage, AnyMessage>(undefined, undefined, { highWaterMark: maxUnansweredRequests })
  readonly #writer = this.#incoming.writable.getWriter()
  /** The agent's that are not answered, or whose answers it has not read. */
  #unansweredRequests = 0
  #wake: (() => void) | undefined
  #noiseBytes = 0
  #used = 0
  #windowEnd = 0

  constructor(options: WireOptions) {
    this.#options = options
    // A pipe that breaks is an agent that has gone, which the end of its output tells as well.
    options.to.on('error', () => {})
    options.from.on('error', () => {})
    this.stream = {
      readable: this.#incoming.readable,
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) }),
    }
    void this.#read()
  }

  /** Nothing more is read or sent. */
  close(): void {
    this.#options.from.destroy()
    this.#options.to.end()
    this.#wake?.()
  }

  async #read(): Promise<void> {
    const { from, waitForCapacity } = this.#options
    const reader = new LineReader({
      maxBytes: maxLineBytes,
      sampleBytes: maxSample,
      onLine: (line) => this.#handleLine(line),
      onTooLong: (bytes, beginning) => this.#noise('line_too_long', bytes, beginning),
    })
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; at += maxReadChunk) {
          const part = chunk.subarray(at, at + maxReadChunk)
          this.#used += part.length
          reader.push(part)
          if (this.#noiseBytes > maxNoiseBytes) throw new FloodError(statusText('wroteTooMuch'))
          await this.#throttle()
        }
        while (this.#unansweredRequests >= maxUnansweredRequests && !from.destroyed)
          await new Promise<void>((resolve) => (this.#wake = resolve))
        await this.#writer.ready
        await waitForCapacity?.()
      }
      reader.end()
      await this.#writer.close()
    } catch (error) {
      await this.#writer.abort(error).catch(() => {})
      from.destroy()
    }
  }

  /** Waits for the next window when this one's share is used up. */
  async #throttle(): Promise<void> {
    const { clock } = this.#options
    const now = clock.now()
    // A clock that was set back begins anew, too.
    if (now >= this.#windowEnd || now < this.#windowEnd - readWindowMs) {
      this.#windowEnd = now + readWindowMs
      this.#used = 0
    } else if (this.#used >= maxReadPerWindow) await new Promise<void>((resolve) => clock.after(this.#windowEnd - now, resolve))
  }

  #handleLine(line: string): void {
    this.#used += lineCost
    // Quicker than to have it refused by the parser.
    if (!line.startsWith('{')) return this.#noise('not_json', line.length, line)
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return this.#noise('not_json', line.length, line)
    }
    if (!isFields(message) || message['jsonrpc'] !== '2.0') return this.#noise('not_a_message', line.length, line)
    const { id, method } = message
    if (typeof method !== 'string') return this.#handleAnswer(message, line)
    if (id !== undefined) {
      this.#unansweredRequests++
      return this.#forward(message)
    }
    if (method === 'session/update') {
      this.#noiseBytes = 0
      return this.#options.onUpdate(message['params'])
    }
    // That a request of the agent's is withdrawn; everything else that nobody waits for is left alone.
    if (method === '$/cancel_request') return this.#forward(message)
    this.#noise('unknown_notification', line.length, method)
  }

  #handleAnswer(message: Fields, line: string): void {
    const asked = this.#pendingRequests.get(message['id'])
    if (asked === undefined || 'result' in message === 'error' in message)
      return this.#noise(asked === undefined ? 'answer_to_nothing' : 'not_a_message', line.length, line)
    this.#pendingRequests.delete(message['id'])
    this.#options.onAnswered(asked.method, asked.params)
    this.#forward(message)
  }

  #forward(message: Fields): void {
    this.#noiseBytes = 0
    void this.#writer.write(message as AnyMessage).catch(() => {})
  }

  #noise(noise: Noise, bytes: number, sample: string): void {
    this.#noiseBytes += bytes + lineCost
    this.#options.onNoise(noise, bytes, sample.slice(0, maxSample))
  }

  #send(message: AnyMessage): Promise<void> {
    const { id, method, params } = message as Fields
    const isAnswer = typeof method !== 'string'
    if (!isAnswer && id !== undefined)
      this.#pendingRequests.set(id, { method, params: { sessionId: (params as Fields | undefined)?.['sessionId'] } })
    return new Promise((resolve, reject) => {
      this.#options.to.write(`${JSON.stringify(message)}\n`, (error) => {
        if (isAnswer) this.#unansweredRequests--
        this.#wake?.()
        if (error) reject(error)
        else resolve()
      })
    })
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
