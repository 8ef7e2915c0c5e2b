/**
 * One WebSocket to `/ws`, in Node with a token and in a browser with the cookie. It is over once: by a close, by an error, or by
 * silence, which browsers do not notice for minutes. What comes after its end is not handed on.
 */
import type { Clock } from '../platform/clock.ts'

/** After so long without a word the server is asked whether it is there … */
export const probeMs = 7_000
/** … and must open, or say something, within this. */
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
  /** `http://…`, as for every other request. */
  readonly url: string
  readonly token: string | undefined
  readonly clock: Clock
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** `code`: of a close that the server or the network made; undefined for silence. */
  readonly onEnd: (code: number | undefined) => void
  /** Something the server answers; undefined when there is nothing to ask. */
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
    // Only Node knows headers; a browser takes a second argument for protocols, so it gets none.
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
    // A close follows, always.
    this.#socket.onerror = () => {}
  }

  get open(): boolean {
    return this.#open && !this.#ended
  }

  send(text: string): void {
    if (this.open) this.#socket.send(text)
  }

  /** Says goodbye; its end is not told. */
  close(): void {
    this.#ended = true
    this.#let()
  }

  /** As if the network had: its end is told. */
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
