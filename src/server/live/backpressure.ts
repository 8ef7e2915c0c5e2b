/**
 * Backpressure of a client. Node reports when a buffer is full (64 KiB by default) and when it has
 * drained.
 */
import type { OutgoingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Resolves when the buffer has drained or the client has disconnected. */
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

/** Detects, by regular checks, a client that reads nothing while data waits for it. */
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

  /** Returns how many checks in a row found data waiting and nothing read. */
  countStuckChecks(): number {
    const taken = (this.#socket.bytesWritten ?? 0) - this.#socket.writableLength
    const stuck = this.#socket.writableLength > 0 && taken === this.#taken
    this.#taken = taken
    this.#looks = stuck ? this.#looks + 1 : 0
    return this.#looks
  }
}
