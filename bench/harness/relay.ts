/** A person's connection to the relay, for what is said and waited for one after the other. */
import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface RelayMessage {
  readonly type: string
  readonly [field: string]: unknown
}

/** A person's connection: says something and hears what comes of it. */
export class Relay {
  readonly #socket: WebSocket
  #awaited:
    | {
        readonly type: string
        readonly resolve: (message: RelayMessage) => void
        readonly reject: (error: Error) => void
      }
    | undefined

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.#hear(JSON.parse(String(data))))
  }

  static async open(port: number, token: string): Promise<Relay> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    return new Relay(socket)
  }

  /** Resolves with the next message of this type. */
  say(message: object, type: string): Promise<RelayMessage> {
    return new Promise((resolve, reject) => {
      this.#awaited = { type, resolve, reject }
      this.#socket.send(JSON.stringify(message))
    })
  }

  close(): void {
    this.#socket.terminate()
  }

  #hear(message: RelayMessage): void {
    if (message.type === this.#awaited?.type) this.#awaited.resolve(message)
    else if (message.type === 'error' || message.type === 'agent:failed')
      this.#awaited?.reject(new Error(JSON.stringify(message)))
  }
}
