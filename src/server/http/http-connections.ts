/**
 * Open HTTP connections, tracked for draining (SC3, OP2): no connection is cut between its accept and the last byte of a
 * response. Node's `closeIdleConnections` cannot be used, because it also closes connections that have not sent a request yet.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class HttpConnections {
  /** Latest response of each connection; undefined before its first request. */
  readonly #responses = new Map<Socket, ServerResponse | undefined>()
  #draining = false

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#responses.set(socket, undefined)
      socket.on('close', () => this.#responses.delete(socket))
    })
  }

  /** Stops tracking a socket that became a WebSocket. */
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

  /** Makes every response from now on the last one of its connection. */
  beginDrain(): void {
    if (this.#draining) return
    this.#draining = true
    for (const [socket, response] of this.#responses) {
      if (!response || response.writableFinished) continue
      if (response.headersSent) response.once('close', () => socket.destroySoon())
      else response.shouldKeepAlive = false
    }
  }

  /** Closes connections whose last response is finished. */
  closeIdle(): void {
    for (const [socket, response] of this.#responses) if (response?.writableFinished) socket.destroySoon()
  }

  /** Closes connections that have sent nothing. */
  closeSilent(): void {
    for (const [socket, response] of this.#responses) if (!response && socket.bytesRead === 0) socket.destroy()
  }
}
