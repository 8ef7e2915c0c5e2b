/** A browser's event stream as bytes: tells when a text has come, and keeps nothing. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { requestBytes } from './keep-alive.ts'

export class Ear {
  readonly #socket: Socket
  #tail = ''
  #awaited: { readonly text: string; readonly resolve: () => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.on('data', (chunk: string) => this.#hear(chunk))
  }

  /** Resolves when the stream has begun: what happens from then on is heard. */
  static async open(port: number, path: string, token: string): Promise<Ear> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const ear = new Ear(socket)
    const begun = ear.hears('retry: ')
    socket.write(requestBytes('GET', path, undefined, { token, accept: 'text/event-stream' })(port))
    await begun
    return ear
  }

  hears(text: string): Promise<void> {
    this.#tail = ''
    return new Promise((resolve) => {
      this.#awaited = { text, resolve }
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #hear(chunk: string): void {
    if (!this.#awaited) return
    const { text, resolve } = this.#awaited
    const heard = this.#tail + chunk
    this.#tail = heard.slice(-text.length)
    if (!heard.includes(text)) return
    this.#awaited = undefined
    resolve()
  }
}
