/**
 * The message stream between the ACP library and an agent's pipes. Adds what the library lacks: a
 * maximum line length, handling of noise (AC3), a read rate limit, and ordering. The library
 * delivers notifications and answers in promises, so a prompt's answer could overtake its last
 * updates; here both are handled in the order they arrive.
 */

import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { type Fields, fieldsOf, isFields, parsedJson } from '../../platform/json.ts'
import { type Clock, pause } from '../../platform/time/clock.ts'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import { maxListed, maxShownLine } from '../../protocol/turns/agent-update.ts'
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

// Reads single values from untrusted agent messages. Values of another type count as missing, and
// long ones are cut.

export const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.slice(0, maxListed).map(fieldsOf) : []

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** One line without control characters. */
export const lineOf = (value: unknown): string | undefined =>
  textOf(value)
    ?.slice(0, maxShownLine)
    .replaceAll(/\p{Cc}+/gu, ' ')

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const wholeOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) ? (value as number) : undefined

export const oneOf = <Word extends string>(
  words: readonly Word[],
  value: unknown,
): Word | undefined => words.find((word) => word === value)

/** Undefined for values without a JSON form or nested too deep. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/**
 * Splits bytes into lines, and holds one at the most. Of a line that is too long, the size and the
 * beginning are kept.
 */
export interface LineOptions {
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  readonly onTooLong: (bytes: number, beginning: string) => void
  readonly sampleBytes: number
}

const newline = 0x0a
const smallest = 16 * 1024
const nothing = Buffer.alloc(0)

export class LineReader {
  readonly #options: LineOptions
  /** An incomplete line. Copied, because a small chunk may retain a large buffer. */
  #buffer = nothing
  #bytes = 0

  constructor(options: LineOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(newline, start); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#finish(chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  /** Handles the end of the input: text without a newline counts as a line. */
  end(): void {
    if (this.#bytes > 0) this.#finish(nothing)
  }

  #keep(part: Buffer): void {
    const { maxBytes, sampleBytes } = this.#options
    const before = this.#bytes
    this.#bytes += part.length
    if (before > maxBytes) return
    if (this.#bytes > maxBytes) {
      this.#buffer = Buffer.concat([this.#buffer.subarray(0, before), part]).subarray(
        0,
        sampleBytes,
      )
      return
    }
    if (this.#buffer.length < this.#bytes) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(smallest, 2 * this.#bytes)))
      this.#buffer.copy(larger, 0, 0, before)
      this.#buffer = larger
    }
    part.copy(this.#buffer, before)
  }

  #finish(last: Buffer): void {
    const { maxBytes, sampleBytes, onLine, onTooLong } = this.#options
    if (this.#bytes > 0) this.#keep(last)
    const bytes = this.#bytes || last.length
    const whole =
      this.#bytes > 0 ? this.#buffer.subarray(0, Math.min(bytes, this.#buffer.length)) : last
    this.#bytes = 0
    this.#buffer = nothing
    if (bytes > maxBytes) return onTooLong(bytes, whole.subarray(0, sampleBytes).toString())
    const line = whole.toString().trim()
    if (line !== '') onLine(line)
  }
}

/** Input that is no message for us. */
export type Noise =
  | 'not_json'
  | 'line_too_long'
  | 'not_a_message'
  | 'answer_to_nothing'
  | 'unknown_notification'

export interface WireOptions {
  readonly from: Readable
  readonly to: Writable
  readonly clock: Clock
  readonly onUpdate: (params: unknown) => void
  readonly onVisited: (params: unknown) => void
  /** Called when a request of ours is answered, before the library sees the answer. */
  readonly onAnswered: (method: string, params: unknown) => void
  readonly onNoise: (noise: Noise, bytes: number, sample: string) => void
  /** Reading pauses while the returned promise is pending. */
  readonly waitForCapacity?: (() => Promise<void> | undefined) | undefined
}

export class FloodError extends DetailError {}

export class Wire {
  /** Passed to the ACP library. */
  readonly stream: Stream
  readonly #options: WireOptions
  readonly #pendingRequests = new Map<
    unknown,
    { readonly method: string; readonly params: unknown }
  >()
  readonly #incoming = new TransformStream<AnyMessage, AnyMessage>(undefined, undefined, {
    highWaterMark: maxUnansweredRequests,
  })
  readonly #writer = this.#incoming.writable.getWriter()
  #unansweredRequests = 0
  #wake: (() => void) | undefined
  #noiseBytes = 0
  #used = 0
  #windowEnd = 0

  constructor(options: WireOptions) {
    this.#options = options
    // The end of the output reports a broken pipe as well.
    options.to.on('error', () => {})
    options.from.on('error', () => {})
    this.stream = {
      readable: this.#incoming.readable,
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) }),
    }
    void this.#read()
  }

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
          if (this.#noiseBytes > maxNoiseBytes) throw new FloodError(statusNotice('wroteTooMuch'))
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

  async #throttle(): Promise<void> {
    const { clock } = this.#options
    const now = clock.now()
    // Also starts a new window when the clock was set back.
    if (now >= this.#windowEnd || now < this.#windowEnd - readWindowMs) {
      this.#windowEnd = now + readWindowMs
      this.#used = 0
    } else if (this.#used >= maxReadPerWindow) await pause(clock, this.#windowEnd - now)
  }

  #handleLine(line: string): void {
    this.#used += lineCost
    // Faster than a failing parse.
    if (!line.startsWith('{')) return this.#noise('not_json', line.length, line)
    const message = parsedJson(line)
    if (message === undefined) return this.#noise('not_json', line.length, line)
    if (!isFields(message) || message['jsonrpc'] !== '2.0')
      return this.#noise('not_a_message', line.length, line)
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
    if (method === 'elicitation/complete') {
      this.#noiseBytes = 0
      return this.#options.onVisited(message['params'])
    }
    // Only the cancellation of a request is passed on.
    if (method === '$/cancel_request') return this.#forward(message)
    this.#noise('unknown_notification', line.length, method)
  }

  #handleAnswer(message: Fields, line: string): void {
    const pending = this.#pendingRequests.get(message['id'])
    if (pending === undefined || 'result' in message === 'error' in message)
      return this.#noise(
        pending === undefined ? 'answer_to_nothing' : 'not_a_message',
        line.length,
        line,
      )
    this.#pendingRequests.delete(message['id'])
    this.#options.onAnswered(pending.method, pending.params)
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
      this.#pendingRequests.set(id, {
        method,
        params: { sessionId: (params as Fields | undefined)?.['sessionId'] },
      })
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
