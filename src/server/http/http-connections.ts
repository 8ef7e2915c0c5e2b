/**
 * Who is connected to the front, as far as a stop must know (SC3, OP2): a caller is never cut off between its connection and the last
 * byte of its answer. Node's own `closeIdleConnections` must not be used for it: it also cuts who has connected and not yet been heard.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class HttpConnections {
  /** The newest answer on each connection; undefined where nobody has asked yet. */
  readonly #responses = new Map<Socket, ServerResponse | undefined>()
  #draining = false

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#responses.set(socket, undefined)
      socket.on('close', () => this.#responses.delete(socket))
    })
  }

  /** From here on it is a WebSocket's, and said goodbye to as one. */
  forget(socket: Duplex): void {
    this.#responses.delete(socket as Socket)
  }

  track(socket: Socket, response: ServerResponse): void {
    this.#responses.set(socket, response)
    if (this.#draining) response.shouldKeepAlive = false
  }

  responseOn(socket: Socket): ServerResponse | undefined {
    return this.#responses.get(socket)
  }

  /** Every answer from now on is the last one on its connection, and says so. */
  beginDrain(): void {
    if (this.#draining) return
    this.#draining = true
    for (const [socket, response] of this.#responses) {
      if (!response || response.writableFinished) continue
      if (response.headersSent) response.once('close', () => socket.destroySoon())
      else response.shouldKeepAlive = false
    }
  }

  /** Those that were answered and ask nothing. */
  closeIdle(): void {
    for (const [socket, response] of this.#responses) if (response?.writableFinished) socket.destroySoon()
  }

  /** Those that have connected and not said a word. */
  closeSilent(): void {
    for (const [socket, response] of this.#responses) if (!response && socket.bytesRead === 0) socket.destroy()
  }
}
