/**
 * Turns on this node: use cases about the same stream queue here, in the order they came, before they take a connection.
 * Only PostgreSQL's own locks make decisions serial; this keeps one busy stream from filling the pool with connections that
 * wait for each other.
 */
import type { StreamName } from '../../domain/stream/name.ts'

export class StreamTurns {
  /** For each stream with somebody on it, those who come after. */
  readonly #queues = new Map<StreamName, (() => void)[]>()
  #waiting = 0

  get waiting(): number {
    return this.#waiting
  }

  /** Waits for a turn on each stream, in the order given; always the same order, so nobody waits in a circle. */
  async take(streams: readonly StreamName[]): Promise<void> {
    for (const stream of streams) {
      const queue = this.#queues.get(stream)
      if (queue) await this.#stand(queue)
      else this.#queues.set(stream, [])
    }
  }

  give(streams: readonly StreamName[]): void {
    for (const stream of streams) {
      const next = this.#queues.get(stream)?.shift()
      if (next) next()
      else this.#queues.delete(stream)
    }
  }

  async #stand(queue: (() => void)[]): Promise<void> {
    this.#waiting++
    await new Promise<void>((resolve) => queue.push(resolve))
    this.#waiting--
  }
}
