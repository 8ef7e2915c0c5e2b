/**
 * One WebSocket to `/ws`, in Node with a token and in a browser with the cookie. Ends once: by a
 * close, an error, or silence, which browsers do not notice for minutes. Nothing is delivered after
 * its end.
 */
import type { Clock } from '../platform/time/clock.ts'

/** After this silence the server is probed … */
export const probeMs = 7_000
/** … and must answer within this time. */
export const answerMs = 6_000

interface AnySocket {
  onopen: (() => void) | null
  onmessage: ((message: { data: unknown }) => void) | null
  onclose: ((end: { code: number }) => void) | null
  onerror: (() => void) | null
  send(text: string): void
  close(): void
}
type Opener = new (address: string, options?: { headers: Record<string, string> }) => AnySocket

export interface RelaySocketOptions {
  /** `http://…`, as for other requests. */
  readonly url: string
  readonly token: string | undefined
  readonly clock: Clock
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** `code`: the close code; undefined for silence. */
  readonly onEnd: (code: number | undefined) => void
  /** A message that the server answers; undefined when there is none. */
  readonly probe: () => string | undefined
}

export class RelaySocket {
  readonly #options: RelaySocketOptions
  readonly #socket: AnySocket
  #open = false
  #ended = false
  #stopTimer: () => void

  constructor(options: RelaySocketOptions) {
    this.#options = options
    const address = `${options.url.replace(/^http/, 'ws')}/ws`
    const Socket = globalThis.WebSocket as unknown as Opener
    // Only Node accepts headers; a browser takes protocols as the second argument.
    this.#socket = options.token
      ? new Socket(address, { headers: { authorization: `Bearer ${options.token}` } })
      : new Socket(address)
    this.#stopTimer = options.clock.after(answerMs, () => this.#end(undefined))
    this.#socket.onopen = () => {
      this.#open = true
      this.#heard()
      options.onOpen()
    }
    this.#socket.onmessage = ({ data }) => {
      this.#heard()
      options.onText(String(data))
    }
    this.#socket.onclose = ({ code }) => this.#end(code)
    // A close event always follows.
    this.#socket.onerror = () => {}
  }

  get open(): boolean {
    return this.#open && !this.#ended
  }

  send(text: string): void {
    if (this.open) this.#socket.send(text)
  }

  /** Closes the socket without calling `onEnd`. */
  close(): void {
    this.#ended = true
    this.#let()
  }

  /** Closes the socket as if the network had failed: `onEnd` is called. */
  drop(): void {
    this.#end(undefined)
  }

  #heard(): void {
    this.#stopTimer()
    if (!this.#ended) this.#stopTimer = this.#options.clock.after(probeMs, () => this.#ask())
  }

  #ask(): void {
    const text = this.#options.probe()
    if (text === undefined) return this.#heard()
    this.send(text)
    this.#stopTimer = this.#options.clock.after(answerMs, () => this.#end(undefined))
  }

  #end(code: number | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#let()
    this.#options.onEnd(code)
  }

  #let(): void {
    this.#stopTimer()
    this.#socket.onopen = null
    this.#socket.onmessage = null
    this.#socket.onclose = null
    this.#socket.close()
  }
}
