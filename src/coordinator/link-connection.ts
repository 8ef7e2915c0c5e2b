/**
 * One WebSocket to the server: questions with their answers, and what the server says by itself. It is over at the first silence or
 * error; whoever holds it opens another.
 */
import { WebSocket } from 'ws'
import type { Clock } from '../platform/clock.ts'

/** Far more than any answer needs; a server that is silent for so long is not there. */
const answerWithinMs = 10_000
const handshakeWithinMs = 5_000
/** How often it is asked whether it is there, and what it may miss (SC3): a node that was stopped keeps its connections open. */
const pingEveryMs = 4_000
const maxUnansweredPings = 2
const closeWithinMs = 500
const maxPayload = 8 * 1024 * 1024

export interface ServerMessage {
  readonly type: string
  readonly requestId?: string
  readonly [field: string]: unknown
}

/** The server has answered with an error of its catalogue. */
export class RefusedError extends Error {
  readonly code: string
  readonly status: number

  constructor({ code, detail, status }: ServerMessage) {
    super(String(detail ?? code))
    this.code = String(code)
    this.status = Number(status)
  }
}

/** No answer will come on this connection. */
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
  /** What it says by itself, as it comes, and snapshots; `ask` does not see them. */
  readonly onMessage: (message: ServerMessage) => void
  /** Anything at all has come. */
  readonly onReceived: () => void
}

/** For whoever reads the log of a coordinator that does not get in. */
const refusalReason = (status: number): string =>
  status === 401
    ? 'the server does not accept the token (401): it was revoked, has expired or is of another server. Make one there with ' +
      '`holdfast token create NAME --kind coordinator` and put it in the place of this one; where it is a file, that is read at every try'
    : `the server refuses the connection (${status})`

export class LinkConnection {
  /** Resolves with why, once. */
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

  /** Resolves when it may be asked; rejects with AwayError when there is nobody. */
  async open(): Promise<void> {
    const opened = new Promise<undefined>((resolve) => this.#socket.once('open', () => resolve(undefined)))
    const why = await Promise.race([opened, this.closed])
    if (why !== undefined) throw new DisconnectedError(why)
  }

  /**
   * Rejects with RefusedError or AwayError. `onAnswer` is called in the moment the answer is read, before whatever follows it on
   * the wire.
   */
  ask(message: { readonly type: string }, onAnswer?: (answer: ServerMessage) => void): Promise<ServerMessage> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.reject(new DisconnectedError('not connected'))
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

  /** In order; gives the server a moment to answer the close. */
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

  /** What cannot be understood is no reason to fall, only to begin again. */
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
