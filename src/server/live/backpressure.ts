/** How much a client has left untaken. Node tells when a buffer is full (64 KiB by default) and when it has drained. */
import type { OutgoingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Resolves once there is room again, or the client is gone. */
export function untilDrained(stream: Socket | OutgoingMessage): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

/** Looked at regularly, tells a client that takes nothing while something waits for it. */
export class Progress {
  readonly #socket: Socket
  #taken = -1
  #looks = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get waitingBytes(): number {
    return this.#socket.writableLength
  }

  /** How many looks in a row found data waiting and nothing taken. */
  look(): number {
    const taken = (this.#socket.bytesWritten ?? 0) - this.#socket.writableLength
    const stuck = this.#socket.writableLength > 0 && taken === this.#taken
    this.#taken = taken
    this.#looks = stuck ? this.#looks + 1 : 0
    return this.#looks
  }
}
