/**
 * Who is connected to the front, as far as a stop must know (SC3, OP2): a caller is never cut off between its connection and the last
 * byte of its answer. Node's own `closeIdleConnections` must not be used for it: it also cuts who has connected and not yet been heard.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class Callers {
  /** The newest answer on each connection; undefined where nobody has asked yet. */
  readonly #answers = new Map<Socket, ServerResponse | undefined>()
  #parting = false

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#answers.set(socket, undefined)
      socket.on('close', () => this.#answers.delete(socket))
    })
  }

  /** From here on it is a WebSocket's, and said goodbye to as one. */
  leaves(socket: Duplex): void {
    this.#answers.delete(socket as Socket)
  }

  asks(socket: Socket, answer: ServerResponse): void {
    this.#answers.set(socket, answer)
    if (this.#parting) answer.shouldKeepAlive = false
  }

  answerTo(socket: Socket): ServerResponse | undefined {
    return this.#answers.get(socket)
  }

  /** Every answer from now on is the last one on its connection, and says so. */
  part(): void {
    if (this.#parting) return
    this.#parting = true
    for (const [socket, answer] of this.#answers) {
      if (!answer || answer.writableFinished) continue
      if (answer.headersSent) answer.once('close', () => socket.destroySoon())
      else answer.shouldKeepAlive = false
    }
  }

  /** Those that were answered and ask nothing. */
  dismissIdle(): void {
    for (const [socket, answer] of this.#answers) if (answer?.writableFinished) socket.destroySoon()
  }

  /** Those that have connected and not said a word. */
  dismissSilent(): void {
    for (const [socket, answer] of this.#answers) if (!answer && socket.bytesRead === 0) socket.destroy()
  }
}
