/**
 * The answer to a plain call on its way out. It is one piece of JSON; when the call is held it becomes a stream after a while,
 * so that neither the client nor a proxy between takes the silence for death (NA3). Ends with exactly one response.
 */
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../platform/clock.ts'
import { type PlainCall, serverInfoKey } from './plain-call.ts'
import type { ToolResult } from './run-tool.ts'

/** NA3. Well below the minute after which clients and proxies give up. */
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

  /** From now on a sign of life is sent while the answer is waited for. */
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
    // Written past Fastify, which would add a charset that JSON does not have.
    this.#reply.hijack()
    const length = Buffer.byteLength(text)
    raw.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'cache-control': 'no-store' }).end(text)
  }

  #tick(): void {
    const { raw } = this.#reply
    if (raw.destroyed) return
    if (!this.#streams) this.#becomeStream()
    const { progressToken } = this.#call
    // Who takes nothing gets no more: one frame more or less says nothing new.
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
      // Proxies that collect answers would hold it back.
      'x-accel-buffering': 'no',
    })
  }

  #signed(result: ToolResult): object {
    if (!this.#call.modern) return result
    return { ...result, resultType: 'complete', _meta: { [serverInfoKey]: this.#serverInfo } }
  }
}

const frame = (json: string): string => `event: message\ndata: ${json}\n\n`
