/**
 * Response to a plain tool call: one JSON document. A waiting call is turned into an event stream
 * after a while, so that clients and proxies do not time out (NA3). Ends with exactly one response.
 */
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../platform/time/clock.ts'
import { type PlainCall, serverInfoKey } from './plain-call.ts'
import type { ToolResult } from './run-tool.ts'

/**
 * Interval of progress messages (NA3), well below the minute after which clients and proxies give
 * up.
 */
export const progressEveryMs = 20_000

export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

export class ToolAnswer {
  readonly #reply: FastifyReply
  readonly #call: PlainCall
  readonly #serverInfo: ServerInfo
  #ticks = 0
  #streams = false
  #stopTicking: (() => void) | undefined

  constructor(reply: FastifyReply, call: PlainCall, serverInfo: ServerInfo) {
    this.#reply = reply
    this.#call = call
    this.#serverInfo = serverInfo
  }

  /** Sends progress from now on until the answer is ready. */
  mayTakeLong(clock: Clock): void {
    this.#stopTicking = clock.after(progressEveryMs, () => {
      this.#tick()
      this.mayTakeLong(clock)
    })
  }

  finish(result: ToolResult): void {
    this.#stopTicking?.()
    const text = JSON.stringify({ jsonrpc: '2.0', id: this.#call.id, result: this.#signed(result) })
    const { raw } = this.#reply
    if (this.#streams) return void raw.end(frame(text))
    // Written past Fastify, which would add a charset to the content type.
    this.#reply.hijack()
    const length = Buffer.byteLength(text)
    raw
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': length,
        'cache-control': 'no-store',
      })
      .end(text)
  }

  #tick(): void {
    const { raw } = this.#reply
    if (raw.destroyed) return
    if (!this.#streams) this.#becomeStream()
    const { progressToken } = this.#call
    // A client that reads nothing gets no more progress messages.
    if (raw.writableNeedDrain) return
    if (progressToken === undefined) return void raw.write(': waiting\n\n')
    const progress = (++this.#ticks * progressEveryMs) / 1000
    const params = { progressToken, progress, message: `Waiting for ${progress} seconds` }
    raw.write(frame(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })))
  }

  #becomeStream(): void {
    this.#streams = true
    this.#reply.hijack()
    this.#reply.raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Disables buffering in proxies.
      'x-accel-buffering': 'no',
    })
  }

  #signed(result: ToolResult): object {
    if (!this.#call.modern) return result
    return { ...result, resultType: 'complete', _meta: { [serverInfoKey]: this.#serverInfo } }
  }
}

const frame = (json: string): string => `event: message\ndata: ${json}\n\n`
