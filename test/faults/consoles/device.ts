/**
 * One device on a user session, whose socket is cut after so many messages and opened again, also
 * when its server is away for a while.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: it reads whatever the server says
type Anything = any

export interface Place {
  readonly url: string
  readonly token: string
  userSessionId: string
}

const againMs = 20

export class Device {
  /** Everything numbered that it has heard, on whichever connection. */
  readonly log: Anything[] = []
  cuts = 0
  readonly #place: Place
  readonly #stay: () => number
  #socket: WebSocket | undefined
  #waiting: (() => void)[] = []
  #left = false
  /** Asked for while nobody listened. */
  #unsent: object[] = []

  /** `stay` says how many messages a connection lasts. */
  constructor(place: Place, stay: () => number) {
    this.#place = place
    this.#stay = stay
  }

  /** Resolves with the session's id; this device stays connected for it. */
  async create(projectId: string): Promise<string> {
    const socket = await this.#open()
    const { promise, resolve } = Promise.withResolvers<string>()
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'session:created') resolve(message.sessionId)
      this.#hear(message)
    })
    socket.send(JSON.stringify({ type: 'session:create', projectId }))
    return promise
  }

  /** Follows until it leaves, connection after connection. */
  async stay(): Promise<void> {
    if (this.#socket?.readyState === WebSocket.OPEN) await once(this.#socket, 'close')
    while (!this.#left) {
      try {
        await this.#connection()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
  }

  say(message: object): void {
    const { userSessionId } = this.#place
    const whole = { sessionId: userSessionId, ...message }
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(whole))
    else this.#unsent.push(whole)
  }

  /** From now on. */
  sees(fits: (message: Anything) => boolean): Promise<void> {
    const from = this.log.length
    return this.#until(() => this.log.slice(from).some(fits))
  }

  /** So many turns were answered, ever. */
  seesAnswer(nth: number): Promise<void> {
    return this.#until(() => this.log.filter(({ type }) => type === 'agent:response').length >= nth)
  }

  /** Has come to this number, whatever it has missed. */
  reaches(seq: number): Promise<void> {
    return this.#until(() => this.log.at(-1)?.seq >= seq)
  }

  leave(): void {
    this.#left = true
    this.#socket?.terminate()
  }

  async #open(): Promise<WebSocket> {
    const { url, token } = this.#place
    const headers = { authorization: `Bearer ${token}` }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, {
      headers,
      perMessageDeflate: false,
    })
    socket.on('error', () => {})
    this.#socket = socket
    await once(socket, 'open')
    return socket
  }

  async #connection(): Promise<void> {
    const socket = await this.#open()
    const closed = once(socket, 'close')
    let left = this.#stay()
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (left <= 0 || message.seq === undefined) return
      this.#hear(message)
      if (--left > 0) return
      this.cuts++
      socket.terminate()
    })
    const lastSeq = this.log.at(-1)?.seq ?? 0
    socket.send(
      JSON.stringify({ type: 'session:resume', sessionId: this.#place.userSessionId, lastSeq }),
    )
    for (const message of this.#unsent.splice(0)) socket.send(JSON.stringify(message))
    await closed
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #hear(message: Anything): void {
    if (message.seq === undefined) return
    this.log.push(message)
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
