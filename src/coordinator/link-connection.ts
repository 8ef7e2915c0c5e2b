/**
 * One WebSocket to the server: requests with answers, and pushed messages. Closed at the first
 * timeout or error.
 */
import { WebSocket } from 'ws'
import type { Clock } from '../platform/time/clock.ts'

const answerWithinMs = 10_000
const handshakeWithinMs = 5_000
/**
 * Interval of pings (SC3). A stopped node keeps its connections open, so silence must be detected.
 */
const pingEveryMs = 4_000
const maxUnansweredPings = 2
const closeWithinMs = 500
const maxPayload = 8 * 1024 * 1024

export interface ServerMessage {
  readonly type: string
  readonly requestId?: string
  readonly [field: string]: unknown
}

/** The server answered with an error of its catalogue. */
export class RefusedError extends Error {
  readonly code: string
  readonly status: number

  constructor({ code, detail, status }: ServerMessage) {
    super(String(detail ?? code))
    this.code = String(code)
    this.status = Number(status)
  }
}

/** The connection is closed, and no answer will come. */
export class DisconnectedError extends Error {}

interface Waiting {
  readonly resolve: (message: ServerMessage) => void
  readonly reject: (error: Error) => void
  readonly cancel: () => void
}

export interface LinkConnectionOptions {
  readonly url: string
  readonly token: string
  readonly clock: Clock
  /** Handles pushed messages and snapshots, which `ask` does not return. */
  readonly onMessage: (message: ServerMessage) => void
  /** Called for anything received. */
  readonly onReceived: () => void
}

const refusalReason = (status: number): string =>
  status === 401
    ? 'the server does not accept the token (401): it was revoked, has expired or is of another server. Make one there with ' +
      '`holdfast token create NAME --kind coordinator` and put it in the place of this one; where it is a file, that is read at every try'
    : `the server refuses the connection (${status})`

export class LinkConnection {
  /** Resolves with the reason. */
  readonly closed: Promise<string>
  readonly #socket: WebSocket
  readonly #options: LinkConnectionOptions
  readonly #pending = new Map<string, Waiting>()
  #lastId = 0
  #closeReason: string | undefined
  #unansweredPings = 0
  #stopPinging = (): void => {}

  constructor(options: LinkConnectionOptions) {
    this.#options = options
    const address = `${options.url.replace(/^http/, 'ws')}/ws`
    this.#socket = new WebSocket(address, {
      headers: { authorization: `Bearer ${options.token}` },
      handshakeTimeout: handshakeWithinMs,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload,
    })
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', (code, reason) => {
        this.#stopPinging()
        this.#rejectPending()
        resolve(this.#closeReason ?? `closed with ${code} ${reason}`.trim())
      })
    })
    this.#socket.on('error', (error) => {
      this.#closeReason ??= error.message
    })
    this.#socket.on('unexpected-response', (_, response) => {
      this.#closeReason = refusalReason(response.statusCode ?? 0)
      this.#socket.terminate()
    })
    this.#socket.on('message', (data) => this.#receive(String(data)))
    this.#socket.on('ping', () => options.onReceived())
    this.#socket.on('pong', () => {
      this.#unansweredPings = 0
    })
    this.#socket.on('open', () => this.#pingLater())
  }

  /** Resolves when connected. Rejects with DisconnectedError. */
  async open(): Promise<void> {
    const opened = new Promise<undefined>((resolve) =>
      this.#socket.once('open', () => resolve(undefined)),
    )
    const why = await Promise.race([opened, this.closed])
    if (why !== undefined) throw new DisconnectedError(why)
  }

  /**
   * Sends a request. Rejects with RefusedError or DisconnectedError. `onAnswer` runs before any
   * later message is handled.
   */
  ask(
    message: { readonly type: string },
    onAnswer?: (answer: ServerMessage) => void,
  ): Promise<ServerMessage> {
    if (this.#socket.readyState !== WebSocket.OPEN)
      return Promise.reject(new DisconnectedError('not connected'))
    const requestId = `c${++this.#lastId}`
    const { promise, resolve, reject } = Promise.withResolvers<ServerMessage>()
    const cancel = this.#options.clock.after(answerWithinMs, () => this.terminate())
    const answered = (answer: ServerMessage): void => {
      onAnswer?.(answer)
      resolve(answer)
    }
    this.#pending.set(requestId, { resolve: answered, reject, cancel })
    this.#socket.send(JSON.stringify({ ...message, requestId }))
    return promise
  }

  /** Sends what is not answered. */
  send(message: { readonly type: string }): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  /** Closes with a handshake, and terminates if that takes too long. */
  async close(): Promise<void> {
    this.#socket.close(1000)
    const cancel = this.#options.clock.after(closeWithinMs, () => this.terminate())
    await this.closed
    cancel()
  }

  terminate(): void {
    this.#socket.terminate()
  }

  #pingLater(): void {
    this.#stopPinging = this.#options.clock.after(pingEveryMs, () => {
      if (this.#unansweredPings++ >= maxUnansweredPings) {
        this.#closeReason ??= 'the server is silent'
        return this.terminate()
      }
      this.#socket.ping()
      this.#pingLater()
    })
  }

  #receive(text: string): void {
    this.#unansweredPings = 0
    this.#options.onReceived()
    try {
      this.#handle(JSON.parse(text) as ServerMessage)
    } catch (error) {
      this.#closeReason = `the server said something that makes no sense: ${String(error).slice(0, 300)}`
      this.terminate()
    }
  }

  #handle(message: ServerMessage): void {
    const { type, requestId } = message
    if (type === 'snapshot' || requestId === undefined) return this.#options.onMessage(message)
    const waiting = this.#pending.get(requestId)
    if (!waiting) return
    this.#pending.delete(requestId)
    waiting.cancel()
    if (type === 'error') waiting.reject(new RefusedError(message))
    else waiting.resolve(message)
  }

  #rejectPending(): void {
    for (const { reject, cancel } of this.#pending.values()) {
      cancel()
      reject(new DisconnectedError('the connection is gone'))
    }
    this.#pending.clear()
  }
}
