/**
 * Delivers requests to the writer thread. The thread sleeps on a counter in shared memory instead
 * of an event loop: it wakes sooner, and can check cheaply whether more requests have arrived.
 */
import { performance } from 'node:perf_hooks'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { WriterRequest, WriterThread } from './writer-messages.ts'

type Posted = readonly WriterRequest[] | 'close'

/**
 * The time spent polling after each burst of work, short enough to be unnoticeable on an idle
 * server.
 */
const maxWaitMs = 0.1

export const newCounter = (): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Sent as JSON, which is faster than structured cloning for plain data. */
export function post(writer: WriterThread, posted: Int32Array, message: Posted): void {
  writer.postMessage(JSON.stringify(message))
  Atomics.add(posted, 0, 1)
  Atomics.notify(posted, 0)
}

export class Mailbox {
  readonly #port: MessagePort
  readonly #posted: Int32Array
  #taken = 0

  constructor(port: MessagePort, posted: Int32Array) {
    this.#port = port
    this.#posted = posted
  }

  take(): Posted | undefined {
    if (Atomics.load(this.#posted, 0) === this.#taken) return undefined
    this.#taken = (this.#taken + 1) | 0
    return JSON.parse(receiveMessageOnPort(this.#port)?.message as string) as Posted
  }

  /**
   * Blocks the thread until a message arrives. Polls for a moment first: a caller that was just
   * answered often has its next request ready, and waking up costs more than polling.
   */
  wait(): void {
    const until = performance.now() + maxWaitMs
    while (performance.now() < until) {
      if (Atomics.load(this.#posted, 0) !== this.#taken) return
    }
    Atomics.wait(this.#posted, 0, this.#taken)
  }
}
