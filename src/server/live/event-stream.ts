/** Server-sent events (HT6): the open response of a client as the sink of its subscription. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Presented } from '../security/credentials.ts'
import type { Figures } from '../system/figures.ts'
import { Progress, untilDrained } from './backpressure.ts'
import type { OpenConnection } from './connections.ts'
import type { FeedSink, FeedSnapshot } from './subscription.ts'
import type { FeedEvent } from './tail.ts'

/** Time a browser waits before it reconnects. */
const retryMs = 2000

/** `id:` is a cursor over all its streams. */
export class EventStream implements FeedSink, OpenConnection {
  readonly kind = 'event-stream'
  readonly presented: Presented
  readonly #response: ServerResponse
  readonly #figures: Figures
  readonly #progress: Progress

  constructor(response: ServerResponse, socket: Socket, presented: Presented, figures: Figures) {
    this.presented = presented
    this.#response = response
    this.#figures = figures
    this.#progress = new Progress(socket)
    socket.setNoDelay(true)
    socket.setTimeout(0)
  }

  /**
   * Sends the headers once the start position is known, so that a client that has them misses
   * nothing afterwards.
   */
  begin(cursor: string | null): void {
    if (this.#response.destroyed) return
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Disables buffering in proxies.
      'x-accel-buffering': 'no',
    })
    // An id without data is no event, but lets a client resume that is cut off before its first
    // event.
    this.#write(cursor === null ? `retry: ${retryMs}\n\n` : `retry: ${retryMs}\nid: ${cursor}\n\n`)
  }

  get full(): boolean {
    return this.#response.writableNeedDrain
  }

  drained(): Promise<void> {
    return untilDrained(this.#response)
  }

  events(events: readonly FeedEvent[], cursorBehind: (event: FeedEvent) => string): void {
    let text = ''
    for (const event of events)
      text += `id: ${cursorBehind(event)}\nevent: ${event.type}\ndata: ${event.json}\n\n`
    this.#figures.feedEvents += events.length
    this.#write(text)
  }

  snapshot({ cursor, state }: FeedSnapshot): void {
    this.#write(
      `id: ${cursor}\nevent: snapshot\ndata: ${JSON.stringify({ type: 'snapshot', cursor, state })}\n\n`,
    )
  }

  failed(): void {
    this.cut()
  }

  /** The client reconnects and is told. */
  lost(): void {
    this.#response.end()
  }

  get waitingBytes(): number {
    return this.#progress.waitingBytes
  }

  look(): number {
    return this.#progress.countStuckChecks()
  }

  beat(): void {
    if (this.#response.headersSent && !this.full) this.#write(':\n\n')
  }

  /** Ends the stream; the client reconnects and learns whether its credential is still valid. */
  end(why: 'revoked' | 'slow' | 'going-away'): void {
    // A client that reads nothing would not read the end either.
    if (why === 'slow') this.cut()
    else this.#response.end()
  }

  cut(): void {
    this.#response.destroy()
  }

  #write(text: string): void {
    if (this.#response.writableEnded) return
    this.#figures.feedBytes += Buffer.byteLength(text)
    this.#response.write(text)
  }
}
