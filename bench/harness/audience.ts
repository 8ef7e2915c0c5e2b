/**
 * Many WebSockets that listen, in this process: they count what comes and cost the measured server
 * nothing but the sending.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** So many handshakes at a time: a server's backlog is bounded. */
const openAtOnce = 50

export class Audience {
  /** The newest message, as text. */
  newest = ''
  readonly #sockets: WebSocket[] = []
  #heard = 0
  #awaited = { messages: Number.POSITIVE_INFINITY, resolve: (): void => {} }

  async seat(
    url: string,
    size: number,
    open: { headers?: Record<string, string>; say?: string } = {},
  ): Promise<void> {
    while (this.#sockets.length < size) {
      const missing = Math.min(openAtOnce, size - this.#sockets.length)
      this.#sockets.push(
        ...(await Promise.all(Array.from({ length: missing }, () => this.#open(url, open)))),
      )
    }
    this.#heard = 0
  }

  /** Resolves when everybody has heard `messages` more, counted from now. */
  hears(messages: number): Promise<void> {
    this.#heard = 0
    return new Promise((resolve) => {
      this.#awaited = { messages: messages * this.#sockets.length, resolve }
    })
  }

  leave(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  async #open(
    url: string,
    { headers = {}, say }: { headers?: Record<string, string>; say?: string },
  ): Promise<WebSocket> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false })
    await once(socket, 'open')
    if (say !== undefined) {
      socket.send(say)
      await once(socket, 'message')
    }
    socket.on('message', (data) => this.#hear(data))
    return socket
  }

  #hear(data: WebSocket.RawData): void {
    this.#heard++
    if (this.#heard < this.#awaited.messages) return
    this.newest = String(data)
    this.#awaited.resolve()
  }
}
