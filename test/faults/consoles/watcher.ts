/**
 * One WebSocket on a user session: the numbers of what it saw, in order. Resumes behind the last
 * one it has.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: it reads whatever the server says
type Anything = any

export class Watcher {
  /** The numbers of the events, as they came. */
  readonly seqs: number[] = []
  closedWith: number | undefined
  readonly #url: string
  readonly #token: string
  #socket: WebSocket | undefined
  #waiting: {
    fits: (message: Anything) => boolean
    resolve: (message: Anything) => void
    reject: (error: Error) => void
  }[] = []

  constructor(url: string, token: string) {
    this.#url = `${url.replace('http', 'ws')}/ws`
    this.#token = token
  }

  async open(): Promise<this> {
    const headers = { authorization: `Bearer ${this.#token}` }
    const socket = new WebSocket(this.#url, { headers, perMessageDeflate: false })
    this.#socket = socket
    this.closedWith = undefined
    socket.on('message', (data) => this.#hear(JSON.parse(String(data))))
    socket.on('close', (code) => {
      this.closedWith = code
      this.#hear({ type: 'closed', code })
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    return this
  }

  send(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }

  /** The next one that fits, from now on; whatever is refused meanwhile was not meant to be. */
  next(fits: (message: Anything) => boolean): Promise<Anything> {
    return new Promise((resolve, reject) => this.#waiting.push({ fits, resolve, reject }))
  }

  /** Follows from its last number on; resolves when it is heard. */
  async follow(userSessionId: string, lastSeq = this.seqs.at(-1) ?? 0): Promise<void> {
    const resumed = this.next(({ type }) => type === 'session:resumed')
    this.send({ type: 'session:resume', sessionId: userSessionId, lastSeq })
    await resumed
  }

  pause(): void {
    this.#socket?.pause()
  }

  /** What lies in its buffers is read, and whether it was cut is seen. */
  resume(): void {
    this.#socket?.resume()
  }

  leave(): void {
    this.#socket?.terminate()
  }

  #hear(message: Anything): void {
    if (typeof message.seq === 'number') this.seqs.push(message.seq)
    if (message.type === 'error')
      for (const { reject } of this.#waiting) reject(new Error(JSON.stringify(message)))
    const fitting = this.#waiting.filter(({ fits }) => fits(message))
    this.#waiting = this.#waiting.filter((each) => !fitting.includes(each))
    for (const { resolve } of fitting) resolve(message)
  }
}
