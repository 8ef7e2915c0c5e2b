/**
 * How requests come into the writer thread. It sleeps on a counter in shared memory and not in an event loop: it is woken
 * sooner that way, and a look at the counter tells it for next to nothing that nobody else has come.
 */
import { performance } from 'node:perf_hooks'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { WriterRequest, WriterThread } from './writer-messages.ts'

type Posted = readonly WriterRequest[] | 'close'

/** Once after each burst of work, so an idle server does not notice it. */
const maxWaitMs = 0.1

export const newCounter = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** As text: plain data is written and read faster that way than it is cloned. */
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

  /** The oldest message, if one is there. */
  take(): Posted | undefined {
    if (Atomics.load(this.#posted, 0) === this.#taken) return undefined
    this.#taken = (this.#taken + 1) | 0
    return JSON.parse(receiveMessageOnPort(this.#port)?.message as string) as Posted
  }

  /**
   * Stops the thread until a message is there. Whoever was answered just now often has the next one ready at once, and to be
   * woken costs more than the little while that is spent looking out for it.
   */
  wait(): void {
    const until = performance.now() + maxWaitMs
    while (performance.now() < until) {
      if (Atomics.load(this.#posted, 0) !== this.#taken) return
    }
    Atomics.wait(this.#posted, 0, this.#taken)
  }
}
