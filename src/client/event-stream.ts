/**
 * Follows streams of events (HT6) across lost connections: it resumes from the cursor of the last
 * delivered event, so nothing is missed and nothing comes twice. Works in Node and in browsers,
 * with a token or the cookie.
 *
 *   connecting ──200──▶ live ──lost──▶ reconnecting ──200──▶ live …
 *        └──────────────┴── 401 ──▶ signed-out      other refusals ──▶ refused      (both final, as is close())
 */
import type { Clock } from '../platform/time/clock.ts'
import type { HoldfastEvent } from '../protocol/events.ts'
import type { Problem } from '../protocol/problem.ts'
import { joinStreams } from '../protocol/stream-list.ts'
import { backoffMs, clientClock, onBackOnline, pause } from './backoff.ts'
import type { Client } from './client.ts'
import { ProblemError, problemIn, UnreachableError } from './failures.ts'
import { requestPath } from './request-path.ts'
import { SseParser } from './sse-parser.ts'

export interface EventSnapshot {
  /** The state of each stream whose cursor could not be served; it replaces what was known. */
  readonly state: Readonly<Record<string, unknown>>
}

export type StreamState =
  | { readonly state: 'live' }
  /** `since`: when the connection was lost, in milliseconds since 1970. */
  | { readonly state: 'reconnecting'; readonly since: number }
  | { readonly state: 'signed-out' }
  | { readonly state: 'refused'; readonly problem: Problem }

export interface WatchOptions {
  readonly streams: readonly string[]
  /** The cursor of a snapshot or of the last event seen; from now on when left out. */
  readonly after?: string
  /** Chat panels open in this client: they count as open while the stream is followed (CH5). */
  readonly panels?: readonly string[]
  readonly onEvent: (event: HoldfastEvent, cursor: string) => void
  readonly onSnapshot: (snapshot: EventSnapshot, cursor: string) => void
  readonly onState?: (state: StreamState) => void
  readonly clock?: Clock
  readonly random?: () => number
}

export interface EventWatch {
  close(): void
}

const reconnectBackoff = { firstMs: 250, maxMs: 15_000 }
/** The server sends a heartbeat every 5 s; after two missed ones the connection is dead (SC3). */
export const silenceMs = 12_000
/** A connection that lasted this long resets the backoff. */
export const steadyMs = 1_000

export function watchEvents(client: Client, options: WatchOptions): EventWatch {
  const watch = new Watch(client, options)
  void watch.run()
  return watch
}

class Watch implements EventWatch {
  readonly #client: Client
  readonly #options: WatchOptions
  readonly #clock: Clock
  readonly #random: () => number
  readonly #closing = new AbortController()
  /** The cursor of the last delivered event. */
  #cursor: string | undefined
  #lostAt: number | undefined
  /** Ends the wait before the next attempt. */
  #wake: (() => void) | undefined

  constructor(client: Client, options: WatchOptions) {
    this.#client = client
    this.#options = options
    this.#clock = options.clock ?? clientClock
    this.#random = options.random ?? Math.random
  }

  close(): void {
    this.#closing.abort()
  }

  async run(): Promise<void> {
    const stopListening = onBackOnline(() => this.#wake?.())
    try {
      for (let quickLosses = 0; !this.#closing.signal.aborted; ) {
        const startedAt = this.#clock.now()
        if ((await this.#connection()) === 'final') return
        this.#lost()
        if (this.#clock.now() - startedAt > steadyMs) quickLosses = 0
        await this.#wait(backoffMs(reconnectBackoff, quickLosses++, this.#random))
      }
    } finally {
      stopListening()
    }
  }

  async #connection(): Promise<'lost' | 'final'> {
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, stop.signal])
    const alive = this.#watchSilence(() => stop.abort())
    try {
      const response = await this.#open(signal)
      alive()
      this.#lostAt = undefined
      this.#tell({ state: 'live' })
      await this.#read(response, signal, alive)
      return 'lost'
    } catch (error) {
      if (this.#closing.signal.aborted) return 'final'
      if (error instanceof HandlerFailure) throw error.cause
      return error instanceof ProblemError ? this.#refused(error) : 'lost'
    } finally {
      alive('ended')
      stop.abort()
    }
  }

  async #open(signal: AbortSignal): Promise<Response> {
    const { panels = [] } = this.#options
    const query = {
      streams: joinStreams(this.#options.streams),
      panels: panels.length > 0 ? panels.join(',') : undefined,
      after: this.#cursor === undefined ? this.#options.after : undefined,
    }
    const headers: Record<string, string> = { accept: 'text/event-stream' }
    if (this.#cursor !== undefined) headers['last-event-id'] = this.#cursor
    const response = await this.#client.open(requestPath('/api/events', {}, query), {
      headers,
      signal,
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (response.ok && isStream && response.body) return response
    throw (await problemIn(response)) ?? new UnreachableError(this.#client.url, 'foreign')
  }

  async #read(response: Response, signal: AbortSignal, alive: () => void): Promise<void> {
    const parser = new SseParser((message) => {
      if (signal.aborted) return
      const data: unknown = JSON.parse(message.data)
      if (message.id) this.#cursor = message.id
      handOver(() => {
        if (message.event === 'snapshot')
          this.#options.onSnapshot(data as EventSnapshot, message.id)
        else this.#options.onEvent(data as HoldfastEvent, message.id)
      })
    })
    const decoder = new TextDecoder()
    for await (const bytes of chunksOf(response.body, signal)) {
      alive()
      parser.push(decoder.decode(bytes, { stream: true }))
      if (parser.lastId) this.#cursor = parser.lastId
    }
  }

  #refused(error: ProblemError): 'lost' | 'final' {
    const { problem } = error
    if (problem.status === 429 || problem.status >= 500) return 'lost'
    this.#tell(problem.status === 401 ? { state: 'signed-out' } : { state: 'refused', problem })
    return 'final'
  }

  #lost(): void {
    if (this.#lostAt !== undefined || this.#closing.signal.aborted) return
    this.#lostAt = this.#clock.now()
    this.#tell({ state: 'reconnecting', since: this.#lostAt })
  }

  #tell(state: StreamState): void {
    if (!this.#closing.signal.aborted) this.#options.onState?.(state)
  }

  /** Calls back after too long a silence; the returned function reports activity, or the end. */
  #watchSilence(onSilence: () => void): (word?: 'ended') => void {
    let cancel = this.#clock.after(silenceMs, onSilence)
    let ended = false
    return (word) => {
      cancel()
      ended ||= word === 'ended'
      if (!ended) cancel = this.#clock.after(silenceMs, onSilence)
    }
  }

  async #wait(ms: number): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await pause(this.#clock, ms, AbortSignal.any([woken.signal, this.#closing.signal])).catch(
      () => {},
    )
    this.#wake = undefined
  }
}

/** A listener's error ends the watch instead of looking like a lost connection. */
class HandlerFailure extends Error {}

function handOver(call: () => void): void {
  try {
    call()
  } catch (cause) {
    throw new HandlerFailure('A listener failed', { cause })
  }
}

/** Not `for await` on the body, which some browsers do not support. */
async function* chunksOf(
  body: Response['body'],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
